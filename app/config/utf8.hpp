#pragma once

#include <cstddef>
#include <string_view>

namespace cisolve::app {

/// How many bytes at the beginning of a text, which is not empty, are a character of UTF-8; 0 if
/// they are none.
std::size_t utf8_length(std::string_view text);

}  // namespace cisolve::app
