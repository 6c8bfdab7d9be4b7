#include "base/number.hpp"

#include <array>
#include <charconv>

namespace cisolve::base {
namespace {

using Buffer = std::array<char, 400>;  // room for any double in fixed notation

template <class... How>
std::string formatted(double value, How... how) {
  Buffer buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, how...);
  return {buffer.data(), result.ptr};
}

}  // namespace

std::string shortest(double value) { return formatted(value); }

std::string grouped(Index value) {
  std::string text = std::to_string(value);
  const int first_digit = value < 0 ? 1 : 0;
  for (auto i = static_cast<int>(text.size()) - 3; i > first_digit; i -= 3)
    text.insert(static_cast<std::size_t>(i), 1, ',');
  return text;
}

std::string counted(Index count, std::string_view noun) {
  return std::to_string(count).append(1, ' ').append(noun).append(count == 1 ? "" : "s");
}

std::string brief(double value) { return formatted(value, std::chars_format::general, 4); }

std::string rounded(double value) { return formatted(value, std::chars_format::general, 12); }

// A value rounded to zero has no sign.
std::string fixed(double value, int decimals) {
  std::string text = formatted(value, std::chars_format::fixed, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos)
    text.erase(0, text.find_first_not_of('-'));
  return text;
}

std::string scientific(double value, int decimals) {
  return formatted(value, std::chars_format::scientific, decimals);
}

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

std::string mebibytes(Index bytes) {
  return formatted(static_cast<double>(bytes) / 0x1p20, std::chars_format::fixed, 2) + " MiB";
}

std::string human_seconds(double seconds) {
  if (seconds < 1e-3) return brief(seconds * 1e6) + " us";
  if (seconds < 1) return brief(seconds * 1e3) + " ms";
  return brief(seconds) + " s";
}

}  // namespace cisolve::base
