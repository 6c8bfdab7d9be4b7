#include "base/device.hpp"

#include "base/cuda/context.hpp"
#include "base/error.hpp"
#include "base/fill.hpp"
#include "base/libraries.hpp"

namespace cisolve::base::cuda {
namespace {

// 0 if the driver does not report it.
double attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  const bool is_known = cudaDeviceGetAttribute(&value, which, device) == cudaSuccess;
  if (!is_known) cudaGetLastError();
  return is_known ? value : 0;
}

// Bytes per second: two transfers per clock over the bus width.
double memory_rate(int device) {
  constexpr double kHertz = 1000;
  constexpr double kBitsPerByte = 8;
  return 2 * kHertz * attribute(cudaDevAttrMemoryClockRate, device) *
         attribute(cudaDevAttrGlobalMemoryBusWidth, device) / kBitsPerByte;
}

double multiply_add_rate(const DeviceInfo& info) {
  constexpr double kHertz = 1000;
  const double of_single = info.major == 8 && info.minor == 0 ? 64 : 128;  // per multiprocessor
  const double ratio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, info.number);
  if (ratio == 0) return 0;
  return of_single / ratio * info.multiprocessors * kHertz *
         attribute(cudaDevAttrClockRate, info.number);
}

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
  info.cache_bytes = properties.l2CacheSize;
  info.memory_bytes = memory_rate(device);
  info.multiply_adds = multiply_add_rate(info);
  return info;
}

// Whether an error is sticky: every later call of this process returns it.
bool is_lasting(cudaError_t status) {
  switch (status) {
    case cudaErrorAssert:
    case cudaErrorContextIsDestroyed:
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorMisalignedAddress:
    case cudaErrorNvlinkUncorrectable: return true;
    default: return false;
  }
}

}  // namespace

void check(cudaError_t status, const char* call, std::source_location place) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, lest the next call reports it
  const std::string message = concat(call, " failed: ", cudaGetErrorString(status), " (",
                                     place.file_name(), ":", place.line(), ")");
  if (is_lasting(status))
    fail(ErrorKind::resources, message,
         "; the device failed and this process cannot use it any more: start again in a new one");
  if (status == cudaErrorMemoryAllocation) throw DeviceMemoryError(message);
  fail(ErrorKind::resources, message);
}

void check_launch(const char* kernel, std::source_location place) {
  check(cudaGetLastError(), kernel, place);
}

// Slow allocations are done while the device starts, not after the first kernel.
Context::Context(int device) : info_(read_info(device)) { results_buffer_.of(kResultsBytes); }

const BlasHandle& Context::blas() {
  make_current();
  std::call_once(blas_is_made_, [this] { blas_.emplace(stream()); });
  return *blas_;
}

void load_libraries(Context& context) { context.blas(); }

bool is_built() { return true; }

int device_count(std::string& reason) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (is_lasting(status)) check(status, "cudaGetDeviceCount");
  if (status != cudaSuccess) {
    cudaGetLastError();
    reason = concat("no CUDA device: ", cudaGetErrorString(status));
    return 0;
  }
  if (count == 0) reason = "no CUDA device in this machine";
  return count;
}

std::vector<DeviceInfo> devices(std::string& reason) {
  const int count = device_count(reason);
  std::vector<DeviceInfo> found;
  for (int device = 0; device < count; ++device) found.push_back(read_info(device));
  return found;
}

std::shared_ptr<Context> make_context(int device) {
  std::string reason;
  const int count = device_count(reason);
  if (count == 0) fail(ErrorKind::backend, "the cuda backend cannot run: ", reason);
  if (device < 0 || device >= count)
    fail(ErrorKind::backend, "there is no CUDA device ", device, "; expected ",
         count == 1 ? "0, the only one" : concat("0 to ", count - 1), " that this process can see");
  return std::make_shared<Context>(device);
}

DeviceInfo describe(const Context& context) { return context.info(); }

Index free_bytes(const Context& context) {
  context.make_current();
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<Index>(free);
}

void* allocate(const Context& context, Index bytes, std::string_view what) {
  context.make_current();
  void* pointer = nullptr;
  const cudaError_t status = cudaMalloc(&pointer, static_cast<std::size_t>(bytes));
  if (status != cudaErrorMemoryAllocation) check(status, "cudaMalloc");
  if (status == cudaSuccess) return pointer;
  cudaGetLastError();
  throw DeviceMemoryError(concat(
      "the device refused ", human_bytes(bytes), " for ", what, " although the budget has them: ",
      human_bytes(free_bytes(context)), " of its ", human_bytes(describe(context).total_bytes),
      " are free; end what else uses the device, or choose a smaller problem"));
}

void release(const Context& context, void* pointer) noexcept {
  cudaSetDevice(context.info().number);  // errors of these calls are reported elsewhere
  cudaStreamSynchronize(context.stream_object().get());  // a kernel may still read it
  cudaFree(pointer);
}

void fill_bytes(const Context& context, void* target, unsigned char byte, Index bytes) {
  check(cudaMemsetAsync(target, byte, static_cast<std::size_t>(bytes), context.stream()),
        "cudaMemsetAsync");
}

void synchronize(const Context& context) {
  check(cudaStreamSynchronize(context.stream()), "cudaStreamSynchronize");
}

}  // namespace cisolve::base::cuda
