#pragma once

#include <locale>
#include <sstream>
#include <string>

#include "base/types.hpp"

namespace cisolve::base {

/// Concatenates the parts, in the "C" locale whatever the user's is.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(17);
  (out << ... << parts);
  return out.str();
}

/// "a, b, c"
template <class Items>
std::string joined(const Items& items) {
  std::string text;
  bool first = true;
  for (const auto& item : items) {
    if (!first) text += ", ";
    text += concat(item);
    first = false;
  }
  return text;
}

/// "1.5 GiB": three significant digits and a binary unit.
std::string human_bytes(Index bytes);

}  // namespace cisolve::base
