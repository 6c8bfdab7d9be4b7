#pragma once

#include <cusparse.h>

#include <cstdint>
#include <source_location>

#include "base/array.hpp"
#include "base/cuda/context.hpp"
#include "base/error.hpp"
#include "bench/products/kernel.hpp"

// Common parts of the cuSPARSE products: checked calls, owning handles, and descriptions of
// matrices.
namespace cisolve::bench {

inline void check(cusparseStatus_t status, const char* call,
                  std::source_location place = std::source_location::current()) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  const bool memory =
      status == CUSPARSE_STATUS_ALLOC_FAILED || status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
  base::fail(memory ? base::ErrorKind::resources : base::ErrorKind::backend, call,
             " failed: ", cusparseGetErrorString(status), " (", place.file_name(), ":",
             place.line(), ")");
}

class CusparseHandle {
 public:
  explicit CusparseHandle(const base::Backend& backend) {
    check(cusparseCreate(&handle_), "cusparseCreate");
    check(cusparseSetStream(handle_, backend.device().stream()), "cusparseSetStream");
  }
  CusparseHandle(CusparseHandle&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)) {}
  CusparseHandle& operator=(CusparseHandle&&) = delete;
  ~CusparseHandle() {
    if (handle_ != nullptr) cusparseDestroy(handle_);
  }
  cusparseHandle_t get() const { return handle_; }

 private:
  cusparseHandle_t handle_ = nullptr;
};

/// An owned description of cuSPARSE.
template <class Description, auto Destroy>
class Described {
 public:
  Described() = default;
  Described(Described&& other) noexcept : made_(std::exchange(other.made_, nullptr)) {}
  Described& operator=(Described&&) = delete;
  ~Described() {
    if (made_ != nullptr) Destroy(made_);
  }
  Description get() const { return made_; }
  Description* out() { return &made_; }

 private:
  Description made_ = nullptr;
};

using DescribedMatrix = Described<cusparseConstSpMatDescr_t, cusparseDestroySpMat>;
using DescribedVector = Described<cusparseDnVecDescr_t, cusparseDestroyDnVec>;
using DescribedVectors = Described<cusparseDnMatDescr_t, cusparseDestroyDnMat>;

/// A matrix as cuSPARSE reads it, with the arrays that the workload does not own.
struct CusparseMatrix {
  std::shared_ptr<const sparse::Csr> csr;  // owner of columns and values, if they are its own
  base::Array<std::int32_t> offsets;       // row offsets; in the coordinate format, row numbers
  base::Array<std::int32_t> columns;       // empty if they are the workload's
  base::Array<double> values;              // empty if they are the workload's
  DescribedMatrix description;
  Index bytes;
};

/// cuSPARSE gets 32-bit offsets, its faster choice.
inline std::string too_long_for_cusparse(const Workload& matrix) {
  return matrix.nonzeros() > base::kLargestDimension
             ? "has more non-zeros than 32-bit offsets can count"
             : "";
}

CusparseMatrix cusparse_csr(const Workload& matrix, const base::Backend& backend);
CusparseMatrix cusparse_coo(const Workload& matrix, const base::Backend& backend);
CusparseMatrix cusparse_sliced(const Workload& matrix, const base::Backend& backend, Index height);
CusparseMatrix cusparse_blocks(const Workload& matrix, const base::Backend& backend, Index size);

/// Positions that blocks of size x size would store per non-zero.
double positions_in_blocks(const Workload& matrix, Index size);

}  // namespace cisolve::bench
