#pragma once

#include <memory>

#include "io/molecules/molecular_problem.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/row_source.hpp"

// Problems that come from memory and not from a file.
namespace cisolve::job {

/// Throws Fault::usage where a request says that its problem is in memory, and gives none.
void require_given(const Request& request);

/// Throws Fault::bad_input for arrays of a wrong length, values that are no numbers, and integrals
/// that lack the symmetry of real orbitals.
io::MolecularProblem problem_of(const GivenIntegrals& given, const base::Backend& host);

/// The rows as others own them.
class GivenRows final : public sparse::RowSource {
 public:
  explicit GivenRows(std::shared_ptr<const sparse::RowSource> rows) : rows_(std::move(rows)) {}

  sparse::MatrixShape shape() const override { return rows_->shape(); }
  Index grain() const override { return rows_->grain(); }
  void count(Index first, std::span<sparse::Column> lengths) const override {
    rows_->count(first, lengths);
  }
  void fill(Index first, Index last, std::span<sparse::Column> columns,
            std::span<double> values) const override {
    rows_->fill(first, last, columns, values);
  }
  std::vector<double> common_magnitudes(Index most) const override {
    return rows_->common_magnitudes(most);
  }
  std::unique_ptr<sparse::DeviceRows> on(const base::Backend& device) const override {
    return rows_->on(device);
  }

 private:
  std::shared_ptr<const sparse::RowSource> rows_;
};

}  // namespace cisolve::job
