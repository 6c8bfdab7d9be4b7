#include "base/fill.hpp"

#include <cstring>

#include "base/loops.hpp"

namespace cisolve::base {
namespace {

// Large fills use all threads, since pages are allocated when first written.
void fill_on_host(const Backend& host, void* target, unsigned char byte, Index bytes) {
  constexpr Index kPiece = Index{1} << 20;
  auto* out = static_cast<char*>(target);
  const auto fill = [&](Index first, Index last) {
    std::memset(out + first, byte, static_cast<std::size_t>(last - first));
  };
  if (bytes < 8 * kPiece)
    fill(0, bytes);
  else
    for_each_chunk(bytes, kPiece, host, fill);
}

}  // namespace

void fill_bytes(const Backend& backend, void* target, unsigned char byte, Index bytes) {
  if (bytes == 0) return;
  if (backend.is_host())
    fill_on_host(backend, target, byte, bytes);
  else
    cuda::fill_bytes(backend.device(), target, byte, bytes);
}

}  // namespace cisolve::base
