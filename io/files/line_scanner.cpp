#include "io/files/line_scanner.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>

#include "io/files/printed_number.hpp"

namespace cisolve::io {
namespace {

using base::concat;

constexpr std::size_t kLongestNumber = 4096;
constexpr std::ptrdiff_t kPiece = 1 << 16;

/// Distinguishes underflow from overflow of a decimal number that no double represents, by the
/// decimal exponent of its first digit: the two are 600 powers of ten apart.
bool is_below_one(std::string_view number) {
  const auto [digits, exponent] = parts_of(number);
  const auto point = static_cast<Index>(std::min(digits.find('.'), digits.size()));
  const auto leading = static_cast<Index>(digits.find_first_of("123456789"));
  return exponent + point - leading < 0;
}

}  // namespace

void refuse_zero_byte(const char* where) {
  throw TextProblem{where,
                    "the file contains a zero byte, as damaged files and UTF-16 texts do; expected "
                    "plain text"};
}

void LineScanner::skip_line() {
  while (at_ != end_) {
    const std::size_t piece = std::min(end_ - at_, kPiece);
    if (const void* newline = std::memchr(at_, '\n', piece)) {
      at_ = static_cast<const char*>(newline) + 1;
      return;
    }
    if (const void* zero = std::memchr(at_, '\0', piece))
      refuse_zero_byte(static_cast<const char*>(zero));
    at_ += piece;
  }
}

/// The token for a message: shortened, without control characters.
std::string LineScanner::shown() {
  constexpr std::size_t longest = 40;
  const std::string_view token = word();
  std::string text(token.substr(0, longest));
  for (char& c : text)
    if (std::iscntrl(static_cast<unsigned char>(c))) c = '?';
  return token.size() > longest ? text + "..." : text;
}

void LineScanner::refuse_integer(const char* begin, std::string_view what) {
  at_ = begin;
  if (at_token_end()) throw TextProblem{line_, concat("the line ends here; expected ", what)};
  throw TextProblem{begin, concat("'", shown(), "' instead of ", what, "; expected a whole ",
                                  "number of at most 18 digits")};
}

/// Handles numbers that std::from_chars rejects: a plus sign, D exponents, underflow. Throws
/// TextProblem for anything else.
double LineScanner::unusual_real(std::string_view what) {
  const char* begin = at_;
  if (at_token_end()) throw TextProblem{line_, concat("the line ends here; expected ", what)};
  const std::string_view printed = word();
  std::string token(printed.substr(0, kLongestNumber));
  std::replace_if(
      token.begin(), token.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  std::string_view number = token;
  const bool signed_twice = number.starts_with("+-");
  if (number.starts_with('+')) number.remove_prefix(1);
  const char* end = number.data() + number.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(number.data(), end, value);
  if (stop == end && !signed_twice && printed.size() <= kLongestNumber) {
    if (error == std::errc() && std::isfinite(value)) return value;
    if (error == std::errc::result_out_of_range && is_below_one(number))
      return number.starts_with('-') ? -0.0 : 0.0;
  }
  at_ = begin;
  throw TextProblem{begin, concat("'", shown(), "' instead of ", what, "; expected a finite ",
                                  "number such as -1.5 or 2.5e-3, below 1.8e308")};
}

}  // namespace cisolve::io
