#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ci/hamiltonian/rows/alpha_batch_rows.hpp"
#include "ci/hamiltonian/rows/host_row_builder.hpp"

namespace cisolve::ci {

/// Reads rows by the method that suits the space: one by one (HostRowBuilder), or those of an alpha
/// string together (AlphaBatchRows). One object per thread; rows and columns in canonical order.
class RowReader {
 public:
  explicit RowReader(const HamiltonianRows& h);

  /// Faster for consecutive rows.
  void count(std::span<const Index> rows, std::span<Column> lengths);
  /// Called row by row, columns ascending.
  using Take = std::function<void(std::span<const Column> columns, std::span<const double> values)>;
  void read(std::span<const Index> rows, const Take& take);

 private:
  /// Rows of one alpha string that are found together.
  struct Run {
    Index alpha = 0;
    std::vector<StringNumber> places;
  };
  /// The leading rows of one alpha string, at most `most`.
  const Run& first_run(std::span<const Index> rows, std::size_t most);

  const HamiltonianRows& h_;
  std::optional<HostRowBuilder> one_by_one_;
  WritingSink writing_;
  std::optional<AlphaBatchRows> together_;
  Run run_;
};

}  // namespace cisolve::ci
