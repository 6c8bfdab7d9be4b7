#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.hpp"
#include "base/device.hpp"
#include "base/types.hpp"

namespace cisolve::base {

enum class BackendKind { reference, openmp, cuda };

std::string_view name_of(BackendKind kind);

/// The device that a backend's name asks for: 0 of "cuda", N of "cuda:N", none of the others.
std::optional<int> device_number(std::string_view name);

/// Where arrays live and kernels run: a cheap handle that shares its device context and budgets.
/// `reference` is serial and obvious, `openmp` uses the host's cores, `cuda` one GPU.
class Backend {
 public:
  struct Limits {
    Index host_bytes = 0;    // 0: what is free, less a reserve
    Index device_bytes = 0;  // likewise
  };

  static Backend reference(Limits limits);
  static Backend openmp(int threads, Limits limits);  // threads 0: all that OpenMP offers
  static Backend cuda(int device, Limits limits);     // throws Fault::backend with the reason
  /// On a device that is open already and beside a host backend, whose threads and budget it
  /// shares.
  static Backend cuda(std::shared_ptr<cuda::Context> device, const Backend& host,
                      Index device_bytes);
  static Backend reference() { return reference(Limits{}); }
  static Backend openmp(int threads = 0) { return openmp(threads, Limits{}); }
  static Backend cuda(int device = 0) { return cuda(device, Limits{}); }

  /// By name: reference, openmp, cuda, cuda:N for device N, or auto for the best that is there. An
  /// explicit name never falls back to another backend.
  static Backend by_name(std::string_view name, int threads, Limits limits);

  /// Whether this process has had one of this device: to start another takes no time then.
  static bool has_been_of_device(int number);

  BackendKind kind() const;
  std::string_view name() const { return name_of(kind()); }
  int threads() const;
  /// "2 threads", "NVIDIA H200, 139 GiB" or "device 1: NVIDIA H200, 139 GiB".
  std::string description() const;

  /// The openmp (or reference) backend that prepares data for this one, with the same host budget.
  Backend host() const;
  bool is_host() const { return kind() != BackendKind::cuda; }

  /// The budget of the memory in which this backend's arrays live.
  MemoryBudget& memory() const;
  MemoryBudget& host_memory() const;

  /// Only for the cuda backend.
  cuda::Context& device() const;

  /// Memory that a kernel may use until the next call of this; grown as needed, within the budget.
  /// Not for concurrent use: it belongs to the work that is queued next.
  void* scratch(Index bytes) const;
  /// Whether scratch() has so much, or the room to grow to it.
  bool has_scratch(Index bytes) const;

  void synchronize() const;

 private:
  struct State;
  explicit Backend(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace cisolve::base
