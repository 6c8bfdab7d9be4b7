#include "base/backend.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <new>
#include <string_view>
#include <system_error>

#include "base/device.hpp"
#include "base/error.hpp"
#include "base/openmp/threads.hpp"

namespace cisolve::base {

/// Scratch memory of kernels, kept between calls so that products do not allocate.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  void* grow_to(Index bytes, const cuda::Context* device, MemoryBudget& memory) {
    constexpr std::string_view what = "the working memory of kernels";
    if (bytes <= bytes_) return data_;
    release(device, memory);
    // Leaves most of a host's memory, which a solver may have planned with.
    const Index spare = device != nullptr ? memory.left() : memory.left() / 8;
    const Index rounded = std::max(bytes, std::min(spare, Index{1} << 20));
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
  Index bytes() const { return bytes_; }

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

/// Bit mask of devices used by this process.
std::atomic<std::uint64_t> devices_had = 0;

std::uint64_t bit_of(int device) { return std::uint64_t{1} << std::min(device, 63); }

std::shared_ptr<MemoryBudget> host_budget(Index bytes) {
  return std::make_shared<MemoryBudget>(MemoryPlace::host,
                                        bytes > 0 ? bytes : default_host_limit());
}

// Limit from the memory free now, part of which other backends of the device may have reserved.
std::shared_ptr<MemoryBudget> device_budget(const cuda::Context& device, Index bytes) {
  return std::make_shared<MemoryBudget>(
      MemoryPlace::device, bytes > 0 ? bytes : default_device_limit(cuda::free_bytes(device)));
}

// OMP_NUM_THREADS may be any number, not meant for this program.
int chosen_threads(int threads) {
  const int most = most_threads();
  if (threads > most)
    fail(ErrorKind::usage, threads, " threads are requested; expected ", most_threads_text());
  return threads > 0 ? threads : std::clamp(omp_get_max_threads(), 1, most);
}

bool has_device() {
  std::string reason;
  return cuda::device_count(reason) > 0;
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

std::optional<int> device_number(std::string_view name) {
  constexpr std::string_view prefix = "cuda:";
  if (name == "cuda") return 0;
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size());
  const char* const end = digits.data() + digits.size();
  int number = 0;
  const auto [stop, status] = std::from_chars(digits.data(), end, number);
  const bool is_plain = digits == "0" || (!digits.empty() && digits[0] != '0' && digits[0] != '-');
  return status == std::errc() && stop == end && is_plain ? std::optional(number) : std::nullopt;
}

Backend Backend::reference(Limits limits) {
  auto state = std::make_shared<State>();
  state->host_memory = host_budget(limits.host_bytes);
  return Backend(std::move(state));
}

Backend Backend::openmp(int threads, Limits limits) {
  auto state = std::make_shared<State>();
  state->kind = BackendKind::openmp;
  state->threads = chosen_threads(threads);
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
  state->device_memory = device_budget(*device, device_bytes);
  state->device = std::move(device);
  devices_had |= bit_of(cuda::describe(*state->device).number);
  return Backend(std::move(state));
}

bool Backend::has_used_device(int number) { return (devices_had & bit_of(number)) != 0; }

Backend Backend::by_name(std::string_view name, int threads, Limits limits) {
  if (name == "reference") return reference(limits);
  if (name == "openmp") return openmp(threads, limits);
  std::optional<int> device = device_number(name);
  if (name == "auto") {
    if (!has_device()) return openmp(threads, limits);
    device = 0;
  }
  if (!device)
    fail(ErrorKind::usage, "unknown backend '", name,
         "'; expected auto, reference, openmp, cuda, or cuda:1 and so on for other devices");
  return cuda(cuda::make_context(*device), openmp(threads, limits), limits.device_bytes);
}

BackendKind Backend::kind() const { return state_->kind; }

int Backend::threads() const { return state_->threads; }

std::string Backend::description() const {
  if (kind() == BackendKind::cuda) {
    const auto info = cuda::describe(device());
    const std::string number = info.number > 0 ? concat("device ", info.number, ": ") : "";
    return concat(number, info.name, ", ", human_bytes(info.total_bytes));
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
  if (!state_->device) fail(ErrorKind::internal, "a host backend was asked for its device");
  return *state_->device;
}

void* Backend::scratch(Index bytes) const {
  return state_->scratch.grow_to(bytes, state_->device.get(), memory());
}

bool Backend::has_scratch(Index bytes) const {
  return bytes <= state_->scratch.bytes() + memory().left();
}

void Backend::synchronize() const {
  if (state_->device) cuda::synchronize(*state_->device);
}

}  // namespace cisolve::base
