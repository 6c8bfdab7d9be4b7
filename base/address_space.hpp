#pragma once

#include <string_view>

#include "base/types.hpp"

namespace cisolve::base {

/// Where address space is limited (`ulimit -v`), throws Fault::resources unless so many bytes of it
/// can be had at once; holds nothing. For code that crashes where it gets no memory.
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
