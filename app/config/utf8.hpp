#pragma once

#include <cstddef>
#include <string_view>

namespace cisolve::app {

/// Number of bytes of the UTF-8 character at the start of a non-empty text; 0 if it is invalid.
std::size_t utf8_length(std::string_view text);

}  // namespace cisolve::app
