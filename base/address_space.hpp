#pragma once

#include <string_view>

#include "base/types.hpp"

namespace cisolve::base {

/// Throws ErrorKind::resources if address space is limited (`ulimit -v`) and `bytes` of it cannot
/// be allocated at once; holds nothing. For code that crashes if it gets no memory.
void require_address_space(Index bytes, std::string_view what);

/// Reserves address space until release() if it is limited; does nothing otherwise.
class AddressReserve {
 public:
  /// Throws ErrorKind::resources if less than `bytes` is available.
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
