#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/backend.hpp"
#include "base/operator.hpp"
#include "sparse/formats/options.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// A stored sparse matrix on a backend, in some format. It may be rectangular; only a square
/// symmetric one may serve as a LinearOperator.
class SparseMatrix : public base::LinearOperator {
 public:
  virtual std::string_view format() const = 0;
  virtual const base::Backend& backend() const = 0;
  virtual const MatrixShape& shape() const = 0;
  virtual Index nonzeros() const = 0;
  virtual MemoryUse memory() const = 0;
  virtual Index boundary() const { return 0; }  // of the hybrid format
  /// Plain also where coded ones were asked for and would not help.
  virtual Values values() const { return Values::plain; }
  /// Where it was built: a format or a source that a device cannot build comes from the host.
  virtual base::BackendKind built_by() const = 0;

  /// y = alpha A x + beta y for 1 to 16 vectors or more; with beta = 0 the old y is not read.
  virtual void multiply(double alpha, base::ConstBlock x, double beta, base::Block y) const = 0;

  /// Every array of the format in full, by the paper's names; for small matrices.
  virtual void write_components(std::ostream& out) const = 0;

  Index rows() const final { return shape().rows; }
  void apply(base::ConstBlock x, base::Block y) const final { multiply(1, x, 0, y); }
  bool diagonal(base::Block d) const override = 0;
  base::OperatorDescription description() const final;
};

/// Of all formats (sparse/stored/formats.hpp).
const std::vector<std::string>& format_names();

/// Builds in the backend's memory. Where a device cannot write the rows itself, or not in the
/// format, the host builds and the result is moved; tiles are laid out by the device all the same.
std::unique_ptr<SparseMatrix> build_matrix(const RowSource& rows, const FormatOptions& options,
                                           const base::Backend& backend);

}  // namespace cisolve::sparse
