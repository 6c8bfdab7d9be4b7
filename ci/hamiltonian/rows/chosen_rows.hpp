#pragma once

#include <span>

#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "sparse/rows/device_rows.hpp"

namespace cisolve::ci {

/// Selected rows of a Hamiltonian as a matrix, in canonical order whatever the partition.
class ChosenRows final : public sparse::RowSource {
 public:
  /// `h` must outlive it. `rows`: canonical, ascending.
  ChosenRows(const HamiltonianRows& h, std::span<const Column> rows);
  /// All rows.
  explicit ChosenRows(const HamiltonianRows& h);

  const base::Array<Column>& chosen() const { return chosen_; }

  sparse::MatrixShape shape() const override;
  void count(Index first, std::span<Column> lengths) const override;
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override;
  std::vector<double> common_magnitudes(Index most) const override {
    return h_.common_magnitudes(most);
  }
  std::unique_ptr<sparse::DeviceRows> on(const base::Backend& device) const override;

 private:
  std::vector<Index> rows_of(Index first, Index last) const;

  const HamiltonianRows& h_;
  base::Array<Column> chosen_;
};

}  // namespace cisolve::ci
