#include "sparse/matrix.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "sparse/products.hpp"

namespace cisolve::sparse {
namespace {

void require_fit(const MatrixShape& shape, base::ConstBlock x, base::ConstBlock y) {
  if (x.rows != shape.columns || y.rows != shape.rows || x.columns != y.columns)
    base::fail(base::Fault::internal, "a ", shape.rows, " x ", shape.columns,
               " matrix cannot take ", x.columns, " vectors of ", x.rows, " to ", y.columns, " of ",
               y.rows);
}

/// Any of the formats as a SparseMatrix.
template <class Format>
class StoredMatrix final : public SparseMatrix {
 public:
  StoredMatrix(Format stored, const base::Backend& backend)
      : stored_(std::move(stored)), backend_(backend) {}

  std::string_view format() const override { return stored_.name; }
  const base::Backend& backend() const override { return backend_; }
  const MatrixShape& shape() const override { return stored_.shape; }
  MemoryUse memory() const override { return stored_.memory(); }
  void write_components(std::ostream& out) const override { stored_.write_components(out); }

  Index nonzeros() const override { return stored_.nonzeros(); }

  Index boundary() const override {
    if constexpr (std::is_same_v<Format, Hybrid>) return stored_.boundary;
    return 0;
  }

  void multiply(double alpha, base::ConstBlock x, double beta, base::Block y) const override {
    require_fit(shape(), x, y);
    const auto view = stored_.view();
    switch (backend_.kind()) {
      case base::BackendKind::reference:
        return reference::multiply(backend_, alpha, view, x, beta, y);
      case base::BackendKind::openmp: return openmp::multiply(backend_, alpha, view, x, beta, y);
      case base::BackendKind::cuda: return cuda::multiply(backend_, alpha, view, x, beta, y);
    }
  }

  bool diagonal(base::Block d) const override {
    if (shape().rows != shape().columns) return false;
    const auto view = stored_.view();
    switch (backend_.kind()) {
      case base::BackendKind::reference: reference::diagonal(backend_, view, d); break;
      case base::BackendKind::openmp: openmp::diagonal(backend_, view, d); break;
      case base::BackendKind::cuda: cuda::diagonal(backend_, view, d); break;
    }
    return true;
  }

 private:
  Format stored_;
  base::Backend backend_;
};

template <class Format>
std::unique_ptr<SparseMatrix> place(Format built, const base::Backend& backend) {
  if (backend.is_host()) return std::make_unique<StoredMatrix<Format>>(std::move(built), backend);
  return std::make_unique<StoredMatrix<Format>>(built.to(backend), backend);
}

}  // namespace

base::OperatorDescription SparseMatrix::description() const {
  const Index vectors = (shape().rows + shape().columns) * Index{sizeof(double)};
  const Index held = memory().held;
  return {std::string(format()), held, held + vectors, 2 * nonzeros()};
}

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names{"csr",    "ellpack", "ellpack-r", "sell",
                                              "sell-r", "csb",     "hybrid",    "tiled"};
  return names;
}

std::unique_ptr<SparseMatrix> build_matrix(const RowSource& rows, const FormatOptions& options,
                                           const base::Backend& backend) {
  const base::Backend host = backend.host();
  const std::string& format = options.format;
  if (format == "csr") return place(build_csr(rows, host), backend);
  if (format == "csb") return place(build_csb(rows, options, host), backend);
  if (format == "tiled")
    return place(build_tiled(rows, TileGeometry::of(backend, options), host), backend);
  if (format == "hybrid") return place(build_hybrid(rows, options, host), backend);
  if (std::ranges::count(format_names(), format) > 0)
    return place(build_sliced(rows, options, host), backend);
  base::fail(base::Fault::configuration, "unknown storage format '", format,
             "'; expected csr, ellpack, ellpack-r, sell, sell-r, csb, hybrid or tiled");
}

}  // namespace cisolve::sparse
