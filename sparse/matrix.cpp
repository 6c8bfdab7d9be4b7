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
  StoredMatrix(Format stored, const base::Backend& backend, base::BackendKind built_by)
      : stored_(std::move(stored)), backend_(backend), built_by_(built_by) {}

  std::string_view format() const override { return stored_.name; }
  const base::Backend& backend() const override { return backend_; }
  const MatrixShape& shape() const override { return stored_.shape; }
  MemoryUse memory() const override { return stored_.memory(); }
  void write_components(std::ostream& out) const override { stored_.write_components(out); }

  Index nonzeros() const override { return stored_.nonzeros(); }
  base::BackendKind built_by() const override { return built_by_; }

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
  base::BackendKind built_by_;
};

template <class Format>
std::unique_ptr<SparseMatrix> place(Format built, const base::Backend& backend) {
  const base::BackendKind built_by = backend.host().kind();
  if (backend.is_host())
    return std::make_unique<StoredMatrix<Format>>(std::move(built), backend, built_by);
  return std::make_unique<StoredMatrix<Format>>(built.to(backend), backend, built_by);
}

template <class Format>
std::unique_ptr<SparseMatrix> keep(Format built, const base::Backend& device) {
  return std::make_unique<StoredMatrix<Format>>(std::move(built), device, device.kind());
}

/// What the device builds itself, in its own memory; null where it builds nothing of the kind.
std::unique_ptr<SparseMatrix> build_on_device(const RowSource& rows, const FormatOptions& options,
                                              const base::Backend& device) {
  const std::string& format = options.format;
  const bool from_host = format == "csb" || format == "tiled";
  if (from_host || std::ranges::count(format_names(), format) == 0) return nullptr;
  const auto device_rows = rows.on(device);
  if (device_rows == nullptr) return nullptr;
  if (format == "csr") return keep(build_csr(*device_rows), device);
  if (format == "hybrid") return keep(build_hybrid(*device_rows, options), device);
  return keep(build_sliced(*device_rows, options), device);
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
  if (!backend.is_host())
    if (auto built = build_on_device(rows, options, backend)) return built;
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
