#include "base/address_space.hpp"

#include <sys/mman.h>

#include <cerrno>

#include "base/budget.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace cisolve::base {

AddressReserve::AddressReserve(Index bytes, std::string_view what) : bytes_(bytes) {
  const auto limit = address_space_limit();
  if (!limit) return;
  void* found = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED)
    fail(ErrorKind::resources, "cannot reserve ", human_bytes(bytes), " of address space for ",
         what, ": ", system_reason(errno), ", with a limit of ", human_bytes(*limit),
         "; raise the limit (ulimit -v), or use fewer threads or a smaller problem");
  begin_ = found;
}

void AddressReserve::release() noexcept {
  if (begin_ != nullptr) ::munmap(begin_, static_cast<std::size_t>(bytes_));
  begin_ = nullptr;
}

void require_address_space(Index bytes, std::string_view what) {
  const AddressReserve held(bytes, what);
}

}  // namespace cisolve::base
