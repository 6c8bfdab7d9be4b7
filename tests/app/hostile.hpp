#pragma once

#include <string>

namespace cisolve::test {

/// "a: &a [x, ...], b: &b [*a, *a, ...]": 8^26 values in a kilobyte.
inline std::string alias_bomb() {
  constexpr int copies = 8;
  std::string text;
  std::string item = "x";
  for (char c = 'a'; c <= 'z'; ++c) {
    text += c;
    text += ": &";
    text += c;
    text += " [";
    for (int i = 0; i < copies; ++i) text.append(item).append(", ");
    text += "]\n";
    item = {'*', c};
  }
  return text;
}

}  // namespace cisolve::test
