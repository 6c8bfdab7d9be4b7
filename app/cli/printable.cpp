#include "app/cli/printable.hpp"

#include <streambuf>

namespace cisolve::app {
namespace {

// By the first byte of a character, how many bytes it has; 0 where none begins so.
std::size_t length_by_first(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

// Three and four bytes may not say what fewer could, half of a pair, or what is beyond U+10FFFF.
bool second_is_possible(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xe0: return second >= 0xa0;
    case 0xed: return second < 0xa0;
    case 0xf0: return second >= 0x90;
    case 0xf4: return second < 0x90;
    default: return true;
  }
}

bool is_control(unsigned char first, unsigned char second) {
  if (first < 0x20) return first != '\n' && first != '\t';
  return first == 0x7f || (first == 0xc2 && second < 0xa0);  // those of eight bits as well
}

// How many bytes at the beginning of a text are a character that may be shown; 0 where they are
// none.
std::size_t shown_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = length_by_first(byte(0));
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned char second = length > 1 ? byte(1) : 0;
  return second_is_possible(byte(0), second) && !is_control(byte(0), second) ? length : 0;
}

void append_escaped(std::string& result, char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  result += "\\x";
  result += digits[value / 16];
  result += digits[value % 16];
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = shown_length(text);
    if (length > 0)
      result += text.substr(0, length);
    else
      append_escaped(result, text.front());
    text.remove_prefix(length > 0 ? length : 1);
  }
  return result;
}

class PrintableStream::Lines : public std::streambuf {
 public:
  explicit Lines(std::ostream& out) : out_(out) {}

 protected:
  int overflow(int character) override {
    if (character == traits_type::eof()) return 0;
    const char one = traits_type::to_char_type(character);
    return xsputn(&one, 1) == 1 ? character : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::string_view added(text, static_cast<std::size_t>(size));
    held_ += added;
    if (added.find('\n') != std::string_view::npos) pass(held_.rfind('\n') + 1);
    return out_.good() ? size : 0;
  }
  int sync() override {
    pass(held_.size());
    return out_.flush().good() ? 0 : -1;
  }

 private:
  void pass(std::size_t size) {
    out_ << printable(std::string_view(held_).substr(0, size));
    held_.erase(0, size);
  }

  std::ostream& out_;
  std::string held_;
};

PrintableStream::PrintableStream(std::ostream& shown)
    : std::ostream(nullptr), lines_(std::make_unique<Lines>(shown)) {
  rdbuf(lines_.get());
}

PrintableStream::~PrintableStream() { lines_->pubsync(); }

}  // namespace cisolve::app
