#include "base/fill.hpp"

#include <cstring>

namespace cisolve::base {

void fill_bytes(const Backend& backend, void* target, unsigned char byte, Index bytes) {
  if (bytes == 0) return;
  if (backend.is_host())
    std::memset(target, byte, static_cast<std::size_t>(bytes));
  else
    cuda::fill_bytes(backend.device(), target, byte, bytes);
}

}  // namespace cisolve::base
