#include "base/cuda/blas.hpp"

#include <cublas_v2.h>
#include <dlfcn.h>

#include <string>

#include "base/cuda/check.hpp"
#include "base/error.hpp"

namespace cisolve::base::cuda {
namespace {

const std::string kLibrary = concat("libcublas.so.", CUBLAS_VER_MAJOR);

/// The library among the program's own, or at its location at build time.
void* open_library() {
  void* library = dlopen(kLibrary.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    library =
        dlopen((std::string(CISOLVE_CUDA_LIBRARIES "/") + kLibrary).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    fail(ErrorKind::backend, "the cuda backend needs ", kLibrary, ": ", dlerror(),
         "; install the CUDA toolkit's cuBLAS or name its folder in LD_LIBRARY_PATH");
  return library;
}

/// The functions in use, as cublas_v2.h declares them.
class Library {
 public:
  static const Library& get() {
    static const Library library;
    return library;
  }

  decltype(&cublasCreate_v2) create = find<decltype(&cublasCreate_v2)>("cublasCreate_v2");
  decltype(&cublasDestroy_v2) destroy = find<decltype(&cublasDestroy_v2)>("cublasDestroy_v2");
  decltype(&cublasSetStream_v2) set_stream =
      find<decltype(&cublasSetStream_v2)>("cublasSetStream_v2");
  decltype(&cublasDgemm_v2_64) gemm = find<decltype(&cublasDgemm_v2_64)>("cublasDgemm_v2_64");
  decltype(&cublasGetStatusString) status_string =
      find<decltype(&cublasGetStatusString)>("cublasGetStatusString");

 private:
  template <class Function>
  static Function find(const char* name) {
    static void* const opened = open_library();
    void* symbol = dlsym(opened, name);
    if (symbol == nullptr) fail(ErrorKind::backend, kLibrary, " has no ", name);
    return reinterpret_cast<Function>(symbol);
  }
};

// cuBLAS reports missing memory for code or workspace by several codes.
void check(cublasStatus_t status, const char* call) {
  constexpr std::size_t little = std::size_t{256} << 20;
  if (status == CUBLAS_STATUS_SUCCESS) return;
  cuda::check(cudaDeviceSynchronize(), call);  // a failed device reports more here
  std::size_t free = 0;
  std::size_t total = 0;
  cuda::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const std::string message = concat(call, " failed: ", Library::get().status_string(status), "; ",
                                     human_bytes(static_cast<Index>(free)), " of the device's ",
                                     human_bytes(static_cast<Index>(total)), " are free");
  if (status == CUBLAS_STATUS_ALLOC_FAILED || free < little) throw DeviceMemoryError(message);
  fail(ErrorKind::resources, message);
}

cublasHandle_t as_handle(void* handle) { return static_cast<cublasHandle_t>(handle); }

}  // namespace

BlasHandle::BlasHandle(cudaStream_t stream) {
  cublasHandle_t handle = nullptr;
  check(Library::get().create(&handle), "cublasCreate");
  handle_ = handle;
  check(Library::get().set_stream(handle, stream), "cublasSetStream");
}

BlasHandle::~BlasHandle() { Library::get().destroy(as_handle(handle_)); }

void BlasHandle::gemm(bool transpose_a, Index m, Index n, Index k, double alpha, DenseView a,
                      DenseView b, double beta, double* c, Index c_stride) const {
  check(
      Library::get().gemm(as_handle(handle_), transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N,
                          m, n, k, &alpha, a.data, a.stride, b.data, b.stride, &beta, c, c_stride),
      "cublasDgemm");
}

}  // namespace cisolve::base::cuda
