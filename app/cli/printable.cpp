#include "app/cli/printable.hpp"

#include <streambuf>

#include "app/config/utf8.hpp"

namespace cisolve::app {
namespace {

bool is_control(unsigned char first, unsigned char second) {
  if (first < 0x20) return first != '\n' && first != '\t';
  return first == 0x7f || (first == 0xc2 && second < 0xa0);  // the latter: U+0080 to U+009F
}

// Number of leading bytes that form a printable character; 0 if they do not.
std::size_t shown_length(std::string_view text) {
  const std::size_t length = utf8_length(text);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  return length > 0 && is_control(byte(0), length > 1 ? byte(1) : 0) ? 0 : length;
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
