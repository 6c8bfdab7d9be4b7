#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cisolve::base {

namespace cuda {
class Context;
}

enum class BackendKind { reference, openmp, cuda };

std::string_view name_of(BackendKind kind);

/// Device number in a backend's name: 0 for "cuda", N for "cuda:N", none otherwise.
std::optional<int> device_number(std::string_view name);

/// Memory and execution space of arrays and kernels; a cheap handle that shares its device context
/// and budgets. `reference`: serial and simple; `openmp`: the host's cores; `cuda`: one GPU.
class Backend {
 public:
  struct Limits {
    Index host_bytes = 0;    // 0: free memory less a reserve
    Index device_bytes = 0;  // 0: free device memory less a reserve
  };

  static Backend reference(Limits limits);
  static Backend openmp(int threads, Limits limits);  // threads 0: OpenMP's default
  static Backend cuda(int device, Limits limits);     // throws ErrorKind::backend with the reason
  /// A backend on an open device, with the threads and budget of a host backend.
  static Backend cuda(std::shared_ptr<cuda::Context> device, const Backend& host,
                      Index device_bytes);
  static Backend reference() { return reference(Limits{}); }
  static Backend openmp(int threads = 0) { return openmp(threads, Limits{}); }
  static Backend cuda(int device = 0) { return cuda(device, Limits{}); }

  /// The backend of a name: reference, openmp, cuda, cuda:N for device N, or auto for the best
  /// available. A named backend never falls back to another.
  static Backend by_name(std::string_view name, int threads, Limits limits);

  /// Whether this process has used this device: starting it again takes no time.
  static bool has_used_device(int number);

  BackendKind kind() const;
  std::string_view name() const { return name_of(kind()); }
  int threads() const;
  /// "2 threads", "NVIDIA H200, 139 GiB" or "device 1: NVIDIA H200, 139 GiB".
  std::string description() const;

  /// The host backend that prepares data for this one, with the same host budget.
  Backend host() const;
  bool is_host() const { return kind() != BackendKind::cuda; }

  /// Budget of the memory of this backend's arrays.
  MemoryBudget& memory() const;
  MemoryBudget& host_memory() const;

  /// Device of a cuda backend; other backends have none.
  cuda::Context& device() const;

  /// Scratch memory for the work queued next, valid until the next call; grows as needed, within
  /// the budget. Not thread-safe.
  void* scratch(Index bytes) const;
  /// Whether scratch() has, or can grow to, this size.
  bool has_scratch(Index bytes) const;

  void synchronize() const;

 private:
  struct State;
  explicit Backend(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace cisolve::base
