#pragma once

#include <string>
#include <string_view>

namespace cisolve::io {

/// The SHA-256 digest of some bytes, as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace cisolve::io
