#include "base/backend.hpp"

#include <omp.h>

#include <algorithm>
#include <new>
#include <string_view>

#include "base/error.hpp"

namespace cisolve::base {

/// Working memory of kernels, kept from call to call so that no product allocates.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  void* grow_to(Index bytes, const cuda::Context* device, MemoryBudget& memory) {
    constexpr std::string_view what = "the working memory of kernels";
    if (bytes <= bytes_) return data_;
    release(device, memory);
    const Index rounded = std::max<Index>(bytes, Index{1} << 20);
    memory.reserve(rounded, what);
    try {
      data_ = device != nullptr ? cuda::allocate(*device, rounded, what)
                                : ::operator new(rounded, kAlignment);
    } catch (...) {
      memory.release(rounded);
      throw;
    }
    bytes_ = rounded;
    return data_;
  }

  void release(const cuda::Context* device, MemoryBudget& memory) noexcept {
    if (device != nullptr)
      cuda::release(*device, data_);
    else
      ::operator delete(data_, kAlignment);
    memory.release(bytes_);
    data_ = nullptr;
    bytes_ = 0;
  }

  bool empty() const { return bytes_ == 0; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  void* data_ = nullptr;
  Index bytes_ = 0;
};

struct Backend::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (!scratch.empty()) scratch.release(device.get(), memory());
  }

  MemoryBudget& memory() const { return device ? *device_memory : *host_memory; }

  BackendKind kind = BackendKind::reference;
  int threads = 1;
  std::shared_ptr<MemoryBudget> host_memory = nullptr;
  std::shared_ptr<MemoryBudget> device_memory = nullptr;
  std::shared_ptr<cuda::Context> device = nullptr;
  mutable Scratch scratch;
};

namespace {

std::shared_ptr<MemoryBudget> host_budget(Index bytes) {
  return std::make_shared<MemoryBudget>(MemoryPlace::host,
                                        bytes > 0 ? bytes : default_host_limit());
}

// A device keeps a twentieth back: library workspaces and the driver need room too.
std::shared_ptr<MemoryBudget> device_budget(const cuda::DeviceInfo& info, Index bytes) {
  return std::make_shared<MemoryBudget>(MemoryPlace::device,
                                        bytes > 0 ? bytes : info.free_bytes / 20 * 19);
}

std::string reason_without_device() {
  std::string reason;
  return cuda::devices(reason).empty() ? reason : std::string();
}

}  // namespace

std::string_view name_of(BackendKind kind) {
  switch (kind) {
    case BackendKind::reference: return "reference";
    case BackendKind::openmp: return "openmp";
    case BackendKind::cuda: return "cuda";
  }
  return "unknown";
}

Backend Backend::reference(Limits limits) {
  auto state = std::make_shared<State>();
  state->host_memory = host_budget(limits.host_bytes);
  return Backend(std::move(state));
}

Backend Backend::openmp(int threads, Limits limits) {
  auto state = std::make_shared<State>();
  state->kind = BackendKind::openmp;
  state->threads = threads > 0 ? threads : std::max(1, omp_get_max_threads());
  state->host_memory = host_budget(limits.host_bytes);
  return Backend(std::move(state));
}

Backend Backend::cuda(int device, Limits limits) {
  return cuda(cuda::make_context(device), openmp(0, limits), limits.device_bytes);
}

Backend Backend::cuda(std::shared_ptr<cuda::Context> device, const Backend& host,
                      Index device_bytes) {
  auto state = std::make_shared<State>();
  state->kind = BackendKind::cuda;
  state->threads = host.threads();
  state->host_memory = host.state_->host_memory;
  state->device_memory = device_budget(cuda::describe(*device), device_bytes);
  state->device = std::move(device);
  return Backend(std::move(state));
}

Backend Backend::by_name(std::string_view name, int threads, Limits limits) {
  if (name == "reference") return reference(limits);
  if (name == "openmp") return openmp(threads, limits);
  const bool on_device = name == "cuda" || (name == "auto" && reason_without_device().empty());
  if (on_device) return cuda(cuda::make_context(0), openmp(threads, limits), limits.device_bytes);
  if (name == "auto") return openmp(threads, limits);
  fail(Fault::usage, "unknown backend '", name, "'; expected auto, reference, openmp or cuda");
}

BackendKind Backend::kind() const { return state_->kind; }

int Backend::threads() const { return state_->threads; }

std::string Backend::description() const {
  if (kind() == BackendKind::cuda) {
    const auto info = cuda::describe(device());
    return concat(info.name, ", ", human_bytes(info.total_bytes));
  }
  return threads() == 1 ? "1 thread" : concat(threads(), " threads");
}

Backend Backend::host() const {
  if (is_host()) return *this;
  auto state = std::make_shared<State>();
  state->kind = BackendKind::openmp;
  state->threads = state_->threads;
  state->host_memory = state_->host_memory;
  return Backend(std::move(state));
}

MemoryBudget& Backend::memory() const { return state_->memory(); }

MemoryBudget& Backend::host_memory() const { return *state_->host_memory; }

cuda::Context& Backend::device() const {
  if (!state_->device) fail(Fault::internal, "a host backend was asked for its device");
  return *state_->device;
}

void* Backend::scratch(Index bytes) const {
  return state_->scratch.grow_to(bytes, state_->device.get(), memory());
}

void Backend::synchronize() const {
  if (state_->device) cuda::synchronize(*state_->device);
}

}  // namespace cisolve::base
