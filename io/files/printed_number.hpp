#pragma once

#include <string_view>

#include "base/types.hpp"

namespace cisolve::io {

/// A decimal number as it is printed: "-0.25" and -2 of "-0.25D-02".
struct PrintedNumber {
  std::string_view digits;  // with the sign and the point
  base::Index exponent;     // +-10^18 where it is beyond that
};

PrintedNumber parts_of(std::string_view number);

}  // namespace cisolve::io
