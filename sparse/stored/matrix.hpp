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
  /// Plain even if coded values were requested but would not save memory.
  virtual ValueEncoding values() const { return ValueEncoding::plain; }
  /// The builder's kind: the host, if a device cannot build the format or the source.
  virtual base::BackendKind built_by() const = 0;

  /// y = alpha A x + beta y for any number of vectors, best 1 to 16; if beta = 0, the old y is not
  /// read.
  virtual void multiply(double alpha, base::ConstBlock x, double beta, base::Block y) const = 0;

  /// Writes every array of the format under the paper's name; for small matrices.
  virtual void write_components(std::ostream& out) const = 0;

  Index rows() const final { return shape().rows; }
  void apply(base::ConstBlock x, base::Block y) const final { multiply(1, x, 0, y); }
  bool diagonal(base::Block d) const override = 0;
  base::OperatorDescription description() const final;
};

/// The name shown to users, such as "sell, coded values".
std::string display_name(std::string_view format, ValueEncoding values);

/// Names of all formats (sparse/stored/formats.hpp).
const std::vector<std::string>& format_names();

/// Builds in the backend's memory. If a device cannot generate the rows, or not in this format, the
/// host builds and the result is moved; tiles are always laid out by the device.
std::unique_ptr<SparseMatrix> build_matrix(const RowSource& rows, const FormatOptions& options,
                                           const base::Backend& backend);

}  // namespace cisolve::sparse
