#pragma once

#include <string_view>

#include "base/types.hpp"

namespace cisolve::base {

/// Throws Fault::resources if address space is limited (`ulimit -v`) and `bytes` of it cannot be
/// allocated at once; holds nothing. For code that crashes if it gets no memory.
void require_address_space(Index bytes, std::string_view what);

/// Address space that nobody else takes until release(), where it is limited; nothing elsewhere.
class AddressReserve {
 public:
  /// Throws Fault::resources if there is not as much.
  AddressReserve(Index bytes, std::string_view what);
  AddressReserve(const AddressReserve&) = delete;
  AddressReserve& operator=(const AddressReserve&) = delete;
  ~AddressReserve() { release(); }

  void release() noexcept;

 private:
  void* begin_ = nullptr;
  Index bytes_;
};

}  // namespace cisolve::base
