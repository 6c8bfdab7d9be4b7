#include "base/array.hpp"

#include <cstdlib>
#include <cstring>

#include "base/device.hpp"
#include "base/error.hpp"
#include "base/loops.hpp"

namespace cisolve::base {
namespace {

constexpr Index kAlignment = 64;  // a cache line, and the widest vector register

void* allocate_on_host(Index bytes) {
  const Index rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return std::aligned_alloc(kAlignment, static_cast<std::size_t>(rounded));
}

// Large copies use all threads, since pages are allocated when first written.
void copy_on_host(const Backend& host, const void* source, void* target, Index bytes) {
  constexpr Index kPiece = Index{1} << 19;
  const auto* in = static_cast<const char*>(source);
  auto* out = static_cast<char*>(target);
  const auto copy = [&](Index first, Index last) {
    std::memcpy(out + first, in + first, static_cast<std::size_t>(last - first));
  };
  if (bytes < 8 * kPiece)
    copy(0, bytes);
  else
    for_each_chunk(bytes, kPiece, host, copy);
}

}  // namespace

Memory::Memory(Backend backend, Index bytes, std::string_view what)
    : backend_(std::move(backend)), what_(what), bytes_(bytes) {
  if (bytes == 0) return;
  backend_.memory().reserve(bytes, what);
  try {
    data_ = backend_.is_host() ? allocate_on_host(bytes)
                               : cuda::allocate(backend_.device(), bytes, what);
    if (data_ == nullptr)
      fail(ErrorKind::resources, "the system refused ", human_bytes(bytes), " for ", what,
           "; lower the memory budget, or free memory");
  } catch (...) {
    backend_.memory().release(bytes);
    throw;
  }
}

Memory::Memory(Memory&& other) noexcept
    : backend_(other.backend_),
      what_(other.what_),
      bytes_(std::exchange(other.bytes_, 0)),
      data_(std::exchange(other.data_, nullptr)) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  Memory taken(std::move(other));
  std::swap(backend_, taken.backend_);
  std::swap(what_, taken.what_);
  std::swap(bytes_, taken.bytes_);
  std::swap(data_, taken.data_);
  return *this;
}

Memory::~Memory() {
  if (data_ == nullptr) return;
  if (backend_.is_host())
    std::free(data_);
  else
    cuda::release(backend_.device(), data_);
  backend_.memory().release(bytes_);
}

void copy_bytes(const Backend& from, const void* source, const Backend& to, void* target,
                Index bytes) {
  if (bytes == 0) return;
  const Backend host = from.is_host() ? from : to.host();
  const auto on_host = [&](void* piece, const void* of, Index size) {
    copy_on_host(host, of, piece, size);
  };
  if (from.is_host() && to.is_host())
    on_host(target, source, bytes);
  else if (from.is_host())
    cuda::copy_to_device(to.device(), target, source, bytes, on_host);
  else if (to.is_host())
    cuda::copy_to_host(from.device(), target, source, bytes, on_host);
  else
    cuda::copy_between_devices(from.device(), to.device(), target, source, bytes);
}

}  // namespace cisolve::base
