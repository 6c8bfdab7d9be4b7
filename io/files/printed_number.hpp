#pragma once

#include <string_view>

#include "base/types.hpp"

namespace cisolve::io {

/// The parts of a printed decimal number: "-0.25" and -2 of "-0.25D-02".
struct PrintedNumber {
  std::string_view digits;  // includes sign and point
  base::Index exponent;     // clamped to +-10^18
};

PrintedNumber parts_of(std::string_view number);

}  // namespace cisolve::io
