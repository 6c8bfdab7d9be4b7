#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ci/hamiltonian/alpha_walk.hpp"
#include "ci/hamiltonian/hamiltonian_walk.hpp"

namespace cisolve::ci {

/// The elements of rows, found the way that serves the space: a row after the other, or those of an
/// alpha string together. One for each thread; rows and columns are in canonical order.
class RowReader {
 public:
  explicit RowReader(const HamiltonianRows& h);

  /// Neighbours should follow one another.
  void count(std::span<const Index> rows, std::span<Column> lengths);
  /// Takes row after row, columns ascending.
  using Take = std::function<void(std::span<const Column> columns, std::span<const double> values)>;
  void read(std::span<const Index> rows, const Take& take);

 private:
  /// Rows of one alpha string that an AlphaWalk takes together.
  struct Run {
    Index alpha = 0;
    std::vector<StringNumber> places;
  };
  /// Those with which `rows` begin, as many at most.
  const Run& first_run(std::span<const Index> rows, std::size_t most);

  const HamiltonianRows& h_;
  std::optional<RowWalk> one_by_one_;
  WritingSink writing_;
  std::optional<AlphaWalk> together_;
  Run run_;
};

}  // namespace cisolve::ci
