#include "io/files/printed_number.hpp"

#include <algorithm>
#include <charconv>

namespace cisolve::io {

PrintedNumber parts_of(std::string_view number) {
  constexpr base::Index farthest = 1'000'000'000'000'000'000;
  const std::size_t mark = number.find_first_of("eEdD");
  const std::string_view digits = number.substr(0, mark);
  if (mark == std::string_view::npos) return {digits, 0};
  std::string_view power = number.substr(mark + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  base::Index exponent = 0;
  if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec != std::errc())
    exponent = power.starts_with('-') ? -farthest : farthest;
  return {digits, std::clamp(exponent, -farthest, farthest)};
}

}  // namespace cisolve::io
