#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "io/files/mapped_file.hpp"

namespace cisolve::io {

/// Throws TextProblem. Text has no zero bytes; a damaged file may hold gigabytes of them.
[[noreturn]] void refuse_zero_byte(const char* where);

/// Tokenises text line by line, independent of the locale; a token is read completely or not at
/// all. Skips blank lines and lines that begin with `comment`; accepts CRLF line ends.
class LineScanner {
 public:
  LineScanner(const char* begin, const char* end, char comment)
      : at_(begin), end_(end), comment_(comment) {}

  const char* at() const { return at_; }
  /// Begin of the line's first token.
  const char* line() const { return line_; }

  /// Goes to the next line with a token; false at the end of the text.
  bool next() {
    for (;; skip_line()) {
      skip_blanks();
      if (at_ == end_) return false;
      if (*at_ == '\n' || *at_ == comment_) continue;
      line_ = at_;
      return true;
    }
  }

  /// Skips blanks; true if the next token begins with `c`.
  bool is_next(char c) {
    skip_blanks();
    return at_ != end_ && *at_ == c;
  }

  /// A whole number of up to 18 digits.
  Index integer(std::string_view what) {
    skip_blanks();
    const char* begin = at_;
    const bool negative = at_ != end_ && *at_ == '-';
    if (at_ != end_ && (*at_ == '-' || *at_ == '+')) ++at_;
    const char* digits = at_;
    Index value = 0;
    while (at_ != end_ && is_digit(*at_) && at_ - digits < 18) value = 10 * value + (*at_++ - '0');
    if (at_ == digits || !at_token_end()) refuse_integer(begin, what);
    return negative ? -value : value;
  }

  /// A finite number, with an exponent marked by E or D.
  double real(std::string_view what) {
    skip_blanks();
    double value = 0;
    const auto [end, error] = std::from_chars(at_, end_, value);
    const bool whole = end == end_ || is_blank(*end) || *end == '\n';
    if (error != std::errc() || !whole || !std::isfinite(value)) return unusual_real(what);
    at_ = end;
    return value;
  }

  std::string_view word() {
    skip_blanks();
    const char* begin = at_;
    for (; !at_token_end(); ++at_)
      if (*at_ == '\0') refuse_zero_byte(at_);
    return {begin, at_};
  }

  /// Throws unless the line ends here.
  void finish(std::string_view expected) {
    skip_blanks();
    if (at_ == end_ || *at_ == '\n') return;
    const char* where = at_;
    throw TextProblem{where, base::concat("unexpected '", shown(), "'; expected ", expected)};
  }

  /// Goes to the next line. Throws at a zero byte in a line longer than 64 KiB.
  void skip_line();

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  bool at_token_end() const { return at_ == end_ || is_blank(*at_) || *at_ == '\n'; }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  std::string shown();
  double unusual_real(std::string_view what);
  [[noreturn]] void refuse_integer(const char* begin, std::string_view what);

  const char* at_;
  const char* end_;
  const char* line_ = nullptr;
  char comment_;
};

}  // namespace cisolve::io
