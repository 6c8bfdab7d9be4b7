#include "base/device.hpp"

#include "base/cuda/context.hpp"
#include "base/error.hpp"
#include "base/fill.hpp"
#include "base/libraries.hpp"

namespace cisolve::base::cuda {
namespace {

DeviceInfo read_info(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  DeviceInfo info;
  info.number = device;
  info.name = properties.name;
  info.total_bytes = static_cast<Index>(total_bytes);
  info.free_bytes = static_cast<Index>(free_bytes);
  info.multiprocessors = properties.multiProcessorCount;
  info.shared_bytes = static_cast<Index>(properties.sharedMemPerBlockOptin);
  info.major = properties.major;
  info.minor = properties.minor;
  return info;
}

[[noreturn]] void throw_failure(const char* call, const char* reason, std::source_location place) {
  fail(Fault::resources, call, " failed: ", reason, " (", place.file_name(), ":", place.line(),
       ")");
}

}  // namespace

void check(cudaError_t status, const char* call, std::source_location place) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // a refused request must not be reported again by the next call
  throw_failure(call, cudaGetErrorString(status), place);
}

void check_launch(const char* kernel, std::source_location place) {
  check(cudaGetLastError(), kernel, place);
}

Context::Context(int device) : info_(read_info(device)) {}

const BlasHandle& Context::blas() {
  std::call_once(blas_is_made_, [this] { blas_.emplace(stream()); });
  return *blas_;
}

void load_libraries(Context& context) {
  check(cudaSetDevice(context.info().number), "cudaSetDevice");  // current in this thread
  context.blas();
}

bool is_built() { return true; }

std::vector<DeviceInfo> devices(std::string& reason) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  std::vector<DeviceInfo> found;
  if (status != cudaSuccess) {
    cudaGetLastError();
    reason = concat("no CUDA device: ", cudaGetErrorString(status));
    return found;
  }
  if (count == 0) reason = "no CUDA device in this machine";
  for (int device = 0; device < count; ++device) found.push_back(read_info(device));
  return found;
}

std::shared_ptr<Context> make_context(int device) {
  std::string reason;
  const auto found = devices(reason);
  if (found.empty()) fail(Fault::backend, "the cuda backend cannot run: ", reason);
  if (device < 0 || device >= std::ssize(found))
    fail(Fault::backend, "there is no CUDA device ", device, "; devices 0 to ", found.size() - 1,
         " exist");
  return std::make_shared<Context>(device);
}

DeviceInfo describe(const Context& context) { return context.info(); }

void* allocate(const Context& /*context*/, Index bytes) {
  void* pointer = nullptr;
  check(cudaMalloc(&pointer, static_cast<std::size_t>(bytes)), "cudaMalloc");
  return pointer;
}

void release(const Context& context, void* pointer) noexcept {
  cudaStreamSynchronize(context.stream());  // a kernel may still read it; errors surface elsewhere
  cudaFree(pointer);
}

namespace {

void copy(const Context& context, void* target, const void* source, Index bytes,
          cudaMemcpyKind kind) {
  check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), kind, context.stream()),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(context.stream()), "cudaStreamSynchronize");
}

}  // namespace

void copy_to_device(const Context& context, void* target, const void* source, Index bytes) {
  copy(context, target, source, bytes, cudaMemcpyHostToDevice);
}

void copy_to_host(const Context& context, void* target, const void* source, Index bytes) {
  copy(context, target, source, bytes, cudaMemcpyDeviceToHost);
}

void copy_on_device(const Context& context, void* target, const void* source, Index bytes) {
  copy(context, target, source, bytes, cudaMemcpyDeviceToDevice);
}

void fill_bytes(const Context& context, void* target, unsigned char byte, Index bytes) {
  check(cudaMemsetAsync(target, byte, static_cast<std::size_t>(bytes), context.stream()),
        "cudaMemsetAsync");
}

void synchronize(const Context& context) {
  check(cudaStreamSynchronize(context.stream()), "cudaStreamSynchronize");
}

}  // namespace cisolve::base::cuda
