#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "sparse/stored/matrix.hpp"
#include "sparse/stored/products.hpp"

namespace cisolve::sparse {

/// Adapts any format to SparseMatrix.
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

  ValueEncoding values() const override {
    if constexpr (requires { stored_.values(); })
      return stored_.values();
    else
      return ValueEncoding::plain;
  }

  void multiply(double alpha, base::ConstBlock x, double beta, base::Block y) const override {
    require_fit(x, y);
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
  void require_fit(base::ConstBlock x, base::ConstBlock y) const {
    if (x.rows != shape().columns || y.rows != shape().rows || x.columns != y.columns)
      base::fail(base::ErrorKind::internal, "a ", shape().rows, " x ", shape().columns,
                 " matrix cannot take ", x.columns, " vectors of ", x.rows, " to ", y.columns,
                 " of ", y.rows);
  }

  Format stored_;
  base::Backend backend_;
  base::BackendKind built_by_;
};

/// Wraps a matrix built by the backend's host, moved to the backend.
template <class Format>
std::unique_ptr<SparseMatrix> place_on(Format built, const base::Backend& backend) {
  const base::BackendKind built_by = backend.host().kind();
  if (backend.is_host())
    return std::make_unique<StoredMatrix<Format>>(std::move(built), backend, built_by);
  return std::make_unique<StoredMatrix<Format>>(built.to(backend), backend, built_by);
}

/// Wraps a matrix built by a device.
template <class Format>
std::unique_ptr<SparseMatrix> keep_on(Format built, const base::Backend& device) {
  return std::make_unique<StoredMatrix<Format>>(std::move(built), device, device.kind());
}

}  // namespace cisolve::sparse
