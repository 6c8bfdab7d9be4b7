#include "app/json/json_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "base/number.hpp"

namespace cisolve::app {
namespace {

constexpr int kMostBrackets = 64;

class Parser {
 public:
  Parser(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  JsonValue document() {
    JsonValue value = read(0);
    skip_space();
    if (at_ != text_.size()) refuse("the end of the document");
    return value;
  }

 private:
  [[noreturn]] void refuse(const char* expected) const {
    const auto line =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    base::fail(base::Fault::bad_input, origin_, ':', line + 1, ": this is no JSON; expected ",
               expected);
  }

  void skip_space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  char next() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }

  JsonValue read(int level) {
    if (level > kMostBrackets) refuse("fewer levels of brackets");
    const char first = next();
    if (first == '{') return read_object(level);
    if (first == '[') return read_array(level);
    if (first == '"') return JsonValue(read_text());
    if (first == '-' || (first >= '0' && first <= '9')) return JsonValue(read_number());
    if (take_word("true")) return JsonValue(true);
    if (take_word("false")) return JsonValue(false);
    if (take_word("null")) return {};
    refuse("a value");
  }

  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  JsonValue read_object(int level) {
    std::vector<JsonValue::Member> members;
    ++at_;
    if (take('}')) return JsonValue(std::move(members));
    do {
      if (next() != '"') refuse("a name in quotation marks");
      std::string name = read_text();
      if (!take(':')) refuse("':'");
      members.emplace_back(std::move(name), read(level + 1));
    } while (take(','));
    if (!take('}')) refuse("',' or '}'");
    return JsonValue(std::move(members));
  }

  JsonValue read_array(int level) {
    std::vector<JsonValue> items;
    ++at_;
    if (take(']')) return JsonValue(std::move(items));
    do items.push_back(read(level + 1));
    while (take(','));
    if (!take(']')) refuse("',' or ']'");
    return JsonValue(std::move(items));
  }

  double read_number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) refuse("a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  std::string read_text() {
    std::string value;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) refuse("no control characters in a text");
      if (text_[at_] == '\\')
        read_escape(value);
      else
        value += text_[at_];
    }
    if (at_ == text_.size()) refuse("'\"' at the end of a text");
    ++at_;
    return value;
  }

  // Leaves at_ on the last character of the escape.
  void read_escape(std::string& value) {
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (++at_ == text_.size()) refuse("an escape");
    const std::size_t known = names.find(text_[at_]);
    if (known != std::string_view::npos) {
      value += meanings[known];
      return;
    }
    unsigned code = 0;
    const char* digits = text_.data() + at_ + 1;
    if (text_[at_] != 'u' || text_.size() - at_ < 5 ||
        std::from_chars(digits, digits + 4, code, 16).ptr != digits + 4)
      refuse("an escape such as \\n or \\u00e9");
    at_ += 4;
    append_utf8(value, code);
  }

  static void append_utf8(std::string& value, unsigned code) {
    if (code < 0x80) {
      value += static_cast<char>(code);
    } else if (code < 0x800) {
      value += static_cast<char>(0xC0 | (code >> 6));
      value += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      value += static_cast<char>(0xE0 | (code >> 12));
      value += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
      value += static_cast<char>(0x80 | (code & 0x3F));
    }
  }

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0;
};

template <class Wanted>
const Wanted& or_empty(const JsonValue::Storage& storage) {
  static const Wanted empty{};
  const Wanted* found = std::get_if<Wanted>(&storage);
  return found != nullptr ? *found : empty;
}

}  // namespace

const JsonValue& JsonValue::operator[](std::string_view key) const {
  static const JsonValue null;
  const std::vector<Member>& all = members();
  const auto found = std::ranges::find(all, key, &Member::first);
  return found == all.end() ? null : found->second;
}

const std::vector<JsonValue>& JsonValue::items() const {
  return or_empty<std::vector<JsonValue>>(storage_);
}

const std::vector<JsonValue::Member>& JsonValue::members() const {
  return or_empty<std::vector<Member>>(storage_);
}

std::optional<double> JsonValue::number() const {
  const double* found = std::get_if<double>(&storage_);
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

std::optional<bool> JsonValue::truth() const {
  const bool* found = std::get_if<bool>(&storage_);
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

std::string JsonValue::text() const {
  if (const auto value = number()) return base::shortest(*value);
  return or_empty<std::string>(storage_);
}

Json JsonValue::json() const {
  constexpr double exact = 0x1p53;
  if (const auto value = number())
    return *value == std::trunc(*value) && std::abs(*value) < exact
               ? Json(static_cast<base::Index>(*value))
               : Json(*value);
  if (const auto value = truth()) return *value;
  if (const auto* value = std::get_if<std::string>(&storage_)) return *value;
  if (std::holds_alternative<std::vector<JsonValue>>(storage_)) {
    std::vector<Json> all;
    for (const JsonValue& item : items()) all.push_back(item.json());
    return Json::array(std::move(all));
  }
  if (!is_object()) return {};
  std::vector<Json::Member> all;
  for (const auto& [name, value] : members()) all.emplace_back(name, value.json());
  return Json::object(std::move(all));
}

JsonValue parse_json(std::string_view text, const std::string& origin) {
  return Parser(text, origin).document();
}

}  // namespace cisolve::app
