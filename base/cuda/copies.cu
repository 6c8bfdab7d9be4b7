#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>

#include "base/cuda/context.hpp"

namespace cisolve::base::cuda {
namespace {

constexpr Index kPiece = Index{8} << 20;
constexpr Index kLarge = 4 * kPiece;  // below this, pieces are not worth their memory

void start_copy(const Context& context, void* target, const void* source, Index bytes,
                cudaMemcpyKind kind) {
  check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), kind, context.stream()),
        "cudaMemcpyAsync");
}

void copy(const Context& context, void* target, const void* source, Index bytes,
          cudaMemcpyKind kind) {
  start_copy(context, target, source, bytes, kind);
  synchronize(context);
}

/// Double buffer of pinned host memory.
class Pieces {
 public:
  /// None if the system lacks pinned memory, or another thread uses it.
  static std::optional<Pieces> of(const Context& context) {
    std::unique_lock lock(context.pinned_buffer().mutex(), std::try_to_lock);
    if (!lock) return {};
    context.make_current();
    char* buffer = context.pinned_buffer().of(2 * kPiece);
    if (buffer == nullptr) return {};
    return Pieces(context, buffer, std::move(lock));
  }

  /// The device fills one buffer while the host empties the other.
  void copy_to_host(char* target, const char* source, Index bytes, const HostCopy& on_host) {
    std::array<Event, 2> filled;
    const auto size_at = [&](Index at) { return std::min(kPiece, bytes - at); };
    const auto fill = [&](Index at) {
      const int half = half_at(at);
      start_copy(context_, buffer(half), source + at, size_at(at), cudaMemcpyDeviceToHost);
      filled[half].record(context_.stream_object());
    };
    fill(0);
    for (Index at = 0; at < bytes; at += kPiece) {
      if (at + kPiece < bytes) fill(at + kPiece);
      filled[half_at(at)].wait();
      on_host(target + at, buffer(half_at(at)), size_at(at));
    }
  }

  void copy_to_device(char* target, const char* source, Index bytes, const HostCopy& on_host) {
    std::array<Event, 2> emptied;
    for (Index at = 0; at < bytes; at += kPiece) {
      const int half = half_at(at);
      const Index size = std::min(kPiece, bytes - at);
      emptied[half].wait();  // returns at once if nothing was recorded
      on_host(buffer(half), source + at, size);
      start_copy(context_, target + at, buffer(half), size, cudaMemcpyHostToDevice);
      emptied[half].record(context_.stream_object());
    }
    synchronize(context_);
  }

 private:
  Pieces(const Context& context, char* buffer, std::unique_lock<std::mutex> lock)
      : context_(context), buffer_(buffer), lock_(std::move(lock)) {}
  static int half_at(Index at) { return static_cast<int>(at / kPiece % 2); }
  char* buffer(int half) const { return buffer_ + half * kPiece; }

  const Context& context_;
  char* buffer_;
  std::unique_lock<std::mutex> lock_;  // held until all copies are done
};

std::optional<Pieces> pieces_for(const Context& context, Index bytes, const HostCopy& on_host) {
  if (bytes < kLarge || !on_host) return {};
  return Pieces::of(context);
}

}  // namespace

PinnedBuffer::~PinnedBuffer() {
  if (memory_ != nullptr) cudaFreeHost(memory_);
}

char* PinnedBuffer::of(std::size_t bytes) {
  if (memory_ == nullptr && cudaHostAlloc(&memory_, bytes, cudaHostAllocDefault) != cudaSuccess) {
    cudaGetLastError();
    memory_ = nullptr;
  }
  return static_cast<char*>(memory_);
}

void copy_to_device(const Context& context, void* target, const void* source, Index bytes,
                    const HostCopy& on_host) {
  if (auto pieces = pieces_for(context, bytes, on_host))
    pieces->copy_to_device(static_cast<char*>(target), static_cast<const char*>(source), bytes,
                           on_host);
  else
    copy(context, target, source, bytes, cudaMemcpyHostToDevice);
}

void copy_to_host(const Context& context, void* target, const void* source, Index bytes,
                  const HostCopy& on_host) {
  if (auto pieces = pieces_for(context, bytes, on_host))
    pieces->copy_to_host(static_cast<char*>(target), static_cast<const char*>(source), bytes,
                         on_host);
  else
    copy(context, target, source, bytes, cudaMemcpyDeviceToHost);
}

bool pin(const Context& context, void* memory, Index bytes) {
  context.make_current();
  const bool is_pinned = cudaHostRegister(memory, static_cast<std::size_t>(bytes),
                                          cudaHostRegisterDefault) == cudaSuccess;
  if (!is_pinned) cudaGetLastError();
  return is_pinned;
}

void unpin(const Context& context, void* memory) noexcept {
  cudaSetDevice(context.info().number);  // errors of these calls are reported elsewhere
  cudaStreamSynchronize(context.stream_object().get());  // a copy may still be pending
  cudaHostUnregister(memory);
}

void queue_copy_to_host(const Context& context, void* target, const void* source, Index bytes) {
  start_copy(context, target, source, bytes, cudaMemcpyDeviceToHost);
}

void copy_between_devices(const Context& from, const Context& to, void* target, const void* source,
                          Index bytes) {
  if (&from != &to) synchronize(from);  // two streams run in no order
  if (from.info().number == to.info().number)
    return copy(to, target, source, bytes, cudaMemcpyDeviceToDevice);
  check(cudaMemcpyPeerAsync(target, to.info().number, source, from.info().number,
                            static_cast<std::size_t>(bytes), to.stream()),
        "cudaMemcpyPeerAsync");
  synchronize(to);
}

}  // namespace cisolve::base::cuda
