#include "app/config/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "app/config/suggest.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "ci/fock/integrals/point_group.hpp"
#include "io/files/plain_path.hpp"

namespace cisolve::app {
namespace {

using Kind = ValueType::Kind;

struct ReadUnit {
  std::string_view name;
  double factor;
};
constexpr std::array kByteUnits{
    ReadUnit{"B", 1},        ReadUnit{"KiB", 0x1p10}, ReadUnit{"MiB", 0x1p20},
    ReadUnit{"GiB", 0x1p30}, ReadUnit{"TiB", 0x1p40}, ReadUnit{"kB", 1e3},
    ReadUnit{"MB", 1e6},     ReadUnit{"GB", 1e9},     ReadUnit{"TB", 1e12},
};
constexpr std::array kTimeUnits{ReadUnit{"s", 1}, ReadUnit{"min", 60}, ReadUnit{"h", 3600},
                                ReadUnit{"ms", 1e-3}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Rejects 010 and 0x10, which some readers take for octal and hexadecimal.
bool has_leading_zero(std::string_view digits) {
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  return digits.size() > 1 && digits[0] == '0' &&
         (is_digit(digits[1]) || digits[1] == 'x' || digits[1] == 'o');
}

template <class Number>
std::optional<Number> parse(std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  if (text.empty() || has_leading_zero(text)) return std::nullopt;
  Number number{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_same_v<Number, double>)
    if (!std::isfinite(number)) return std::nullopt;
  return number;
}

// "8 GiB" or "8GiB" in units of one.
std::optional<double> parse_quantity(std::string_view text, std::span<const ReadUnit> units) {
  const auto is_part_of_number = [](char c) { return is_digit(c) || c == '.'; };
  const auto end = std::find_if_not(text.begin(), text.end(), is_part_of_number) - text.begin();
  const auto amount = parse<double>(text.substr(0, end));
  std::string_view name = text.substr(end);
  if (!name.empty() && name[0] == ' ') name.remove_prefix(1);
  const auto unit =
      std::find_if(units.begin(), units.end(), [&](const ReadUnit& u) { return u.name == name; });
  if (!amount || unit == units.end()) return std::nullopt;
  return *amount * unit->factor;
}

std::string range(const ValueType& type) {
  constexpr double kUnlimited = 1e100;  // bounds that only exclude overflow are not shown
  if (type.low == type.high || type.low <= -kUnlimited) return {};
  const bool is_whole = type.kind == Kind::whole || type.kind == Kind::irrep;
  if (is_whole && !std::isinf(type.high))
    return base::concat(" from ", static_cast<Index>(type.low), " to ",
                        static_cast<Index>(type.high));
  if (std::isinf(type.high)) return base::concat(" of at least ", base::shortest(type.low));
  return base::concat(" from ", base::shortest(type.low), " to ", base::shortest(type.high));
}

template <class Number>
std::optional<Value> within(const ValueType& type, std::optional<Number> number) {
  const bool bounded = type.low != type.high;
  if (!number) return std::nullopt;
  const auto compared = static_cast<double>(*number);
  if (bounded && (compared < type.low || compared > type.high)) return std::nullopt;
  return Value(*number);
}

std::optional<Value> parse_bytes(std::string_view text) {
  const auto bytes = parse_quantity(text, kByteUnits);
  if (!bytes || *bytes < 1 || *bytes >= 0x1p62) return std::nullopt;
  return Value(static_cast<Index>(*bytes));
}

bool is_choice(std::string_view text, std::string_view choice) {
  constexpr double most = 9999;
  const auto name = numbered_name(choice);
  if (!name) return text == choice;
  const std::size_t colon = text.find(':');
  return text.substr(0, colon) == *name && colon != std::string_view::npos &&
         text.substr(colon + 1, 1) != "+" &&
         within(ValueType{Kind::whole, 0, most}, parse<Index>(text.substr(colon + 1)));
}

std::optional<Value> parse_choice(const ValueType& type, const std::string& text) {
  const auto is_it = [&](const std::string& choice) { return is_choice(text, choice); };
  return std::ranges::any_of(type.choices, is_it) ? std::optional<Value>(text) : std::nullopt;
}

// The name of a rule that takes a number.
std::optional<std::string> counted_name(const std::string& choice) {
  constexpr std::string_view ending = ": n";
  if (!choice.ends_with(ending)) return std::nullopt;
  return choice.substr(0, choice.size() - ending.size());
}

// "name: 3", as a text or as a map of one entry.
std::optional<Value> parse_rule(const ValueType& type, std::string_view name,
                                const std::string& number) {
  const auto count = within(ValueType{Kind::whole, type.low, type.high}, parse<Index>(number));
  if (!count) return std::nullopt;
  for (const std::string& choice : type.choices)
    if (counted_name(choice) == name) return Value(base::concat(name, ": ", number));
  return std::nullopt;
}

std::optional<Value> parse_rule(const ValueType& type, const DocumentNode& node) {
  if (node.kind == DocumentNode::Kind::map) {
    if (node.children.size() != 1) return std::nullopt;
    const DocumentNode& entry = node.children.front();
    if (entry.kind != DocumentNode::Kind::scalar || entry.quoted) return std::nullopt;
    return parse_rule(type, entry.key, entry.text);
  }
  const std::size_t colon = node.text.find(": ");
  if (colon != std::string::npos)
    return parse_rule(type, std::string_view(node.text).substr(0, colon),
                      node.text.substr(colon + 2));
  return counted_name(node.text) ? std::nullopt : parse_choice(type, node.text);
}

// Keywords and quantities may be quoted, as JSON requires; numbers may not.
std::optional<Value> parse_scalar(const ValueType& type, const DocumentNode& node) {
  const std::string& text = node.text;
  if (!type.word.empty() && text == type.word) return Value(Automatic{});
  if (type.kind == Kind::text || type.kind == Kind::folder || type.names_file())
    return text.empty() ? std::nullopt : std::optional<Value>(text);
  if (type.kind == Kind::choice || type.kind == Kind::names) return parse_choice(type, text);
  if (type.kind == Kind::irrep && !ci::usual_irrep_name(text).empty())
    return Value(ci::usual_irrep_name(text));
  if (type.kind == Kind::rule) return parse_rule(type, node);
  if (type.kind == Kind::bytes) return parse_bytes(text);
  if (type.kind == Kind::duration) return within(type, parse_quantity(text, kTimeUnits));
  if (node.quoted) return std::nullopt;
  switch (type.kind) {
    case Kind::whole:
    case Kind::irrep:
    case Kind::orbitals: return within(type, parse<Index>(text));
    case Kind::real: return within(type, parse<double>(text));
    case Kind::reals:
      if (const auto value = within(type, parse<double>(text)))
        return Value(std::vector{std::get<double>(*value)});
      return std::nullopt;
    case Kind::truth:
      if (text == "true" || text == "false") return Value(text == "true");
      return std::nullopt;
    default: return std::nullopt;
  }
}

bool is_list_of_numbers(const ValueType& type) {
  return type.kind == Kind::wholes || type.kind == Kind::orbitals || type.kind == Kind::reals;
}

bool is_number_of(const ValueType& type, const std::string& text) {
  if (type.kind == Kind::reals) return within(type, parse<double>(text)).has_value();
  return within(type, parse<Index>(text)).has_value();
}

// The first invalid item of a list.
const DocumentNode* misplaced_item(const ValueType& type, const DocumentNode& node) {
  for (const DocumentNode& item : node.children) {
    if (item.kind != DocumentNode::Kind::scalar || item.text.empty()) return &item;
    if (!is_list_of_numbers(type)) continue;
    if (item.quoted || !is_number_of(type, item.text)) return &item;
  }
  return nullptr;
}

// A list of whole numbers or of texts, at least one of them.
std::optional<Value> parse_list(const ValueType& type, const DocumentNode& node) {
  const bool of_numbers = is_list_of_numbers(type);
  const bool of_texts = type.kind == Kind::texts || type.kind == Kind::names;
  if ((!of_numbers && !of_texts) || node.children.empty()) return std::nullopt;
  if (misplaced_item(type, node) != nullptr) return std::nullopt;
  std::vector<Index> numbers;
  std::vector<double> reals;
  std::vector<std::string> texts;
  for (const DocumentNode& item : node.children) {
    texts.push_back(item.text);
    if (type.kind == Kind::reals)
      reals.push_back(*parse<double>(item.text));
    else if (of_numbers)
      numbers.push_back(*parse<Index>(item.text));
  }
  if (type.kind == Kind::reals) return Value(std::move(reals));
  return of_numbers ? Value(std::move(numbers)) : Value(std::move(texts));
}

// A line is a text, or a list of its words.
std::optional<Value> parse_lines(const DocumentNode& node) {
  std::vector<std::string> lines;
  for (const DocumentNode& item : node.children) {
    std::string line = item.text;
    for (const DocumentNode& word : item.children) {
      if (word.kind != DocumentNode::Kind::scalar) return std::nullopt;
      line += (line.empty() ? "" : " ") + word.text;
    }
    if (item.kind == DocumentNode::Kind::map || line.empty()) return std::nullopt;
    lines.push_back(std::move(line));
  }
  return lines.empty() ? std::nullopt : std::optional<Value>(std::move(lines));
}

std::string found(const DocumentNode& node) {
  switch (node.kind) {
    case DocumentNode::Kind::null: return "has no value";
    case DocumentNode::Kind::sequence:
      return node.children.empty() ? "is an empty list" : "is a list";
    case DocumentNode::Kind::map: return "is a section";
    case DocumentNode::Kind::scalar: break;
  }
  constexpr std::size_t shown = 60;
  const std::string text =
      node.text.size() > shown ? node.text.substr(0, shown) + "..." : node.text;
  return node.quoted ? base::concat("is the text \"", text, "\"") : base::concat("is '", text, "'");
}

std::string hint_on_list(const ValueType& type, const DocumentNode& node) {
  if (node.children.empty()) return "; the list needs at least one entry";
  const DocumentNode* item = type.kind == Kind::lines ? nullptr : misplaced_item(type, node);
  return item == nullptr ? "" : "; one entry " + found(*item);
}

// Hint for a value that looks right but is invalid.
std::string hint(const ValueType& type, const DocumentNode& node) {
  const bool takes_list = is_list_of_numbers(type) || type.kind == Kind::texts ||
                          type.kind == Kind::names || type.kind == Kind::lines;
  if (takes_list && node.kind == DocumentNode::Kind::sequence) return hint_on_list(type, node);
  if (node.kind != DocumentNode::Kind::scalar) return {};
  const bool number = type.kind == Kind::whole || type.kind == Kind::real;
  if (number && !node.quoted && has_leading_zero(node.text))
    return "; remove the leading zero, which some YAML readers take for octal";
  if (number && node.quoted) return "; remove the quotes";
  if (type.kind == Kind::choice || type.kind == Kind::irrep)
    return did_you_mean(node.text, type.choices);
  return {};
}

}  // namespace

std::optional<std::string> numbered_name(std::string_view choice) {
  constexpr std::string_view ending = ":N";
  if (!choice.ends_with(ending)) return std::nullopt;
  return std::string(choice.substr(0, choice.size() - ending.size()));
}

std::string expectation(const ValueType& type) {
  const std::string or_auto = type.word.empty() ? "" : ", or " + type.word;
  switch (type.kind) {
    case Kind::whole: return "a whole number" + range(type) + or_auto;
    case Kind::real: return "a number" + range(type) + or_auto;
    case Kind::truth: return "true or false" + or_auto;
    case Kind::text: return "a text" + or_auto;
    case Kind::path: return "the path of a file" + or_auto;
    case Kind::folder: return "the path of a folder";
    case Kind::choice: return alternatives(type.choices);
    case Kind::bytes: return "a size with its unit, such as 8 GiB" + or_auto;
    case Kind::duration: return "a time with its unit, such as 10 min" + or_auto;
    case Kind::wholes: return "a list of whole numbers" + range(type) + or_auto;
    case Kind::reals: return "a number" + range(type) + ", or a list of them" + or_auto;
    case Kind::texts: return "a list of texts" + or_auto;
    case Kind::names: return "a list of names, " + alternatives(type.choices) + or_auto;
    case Kind::lines: return "the path of a file, or a list of its lines" + or_auto;
    case Kind::orbitals: return "a count of orbitals, or a list of their numbers" + or_auto;
    case Kind::irrep: return "a whole number" + range(type) + ", a name such as B1u" + or_auto;
    case Kind::rule: return alternatives(type.choices) + or_auto;
    case Kind::section: return "a section of keys";
    case Kind::any: return "a value";
  }
  return {};
}

Value read_value(const ValueType& type, const DocumentNode& node, std::string_view key,
                 std::string_view where) {
  if (type.kind == Kind::folder && node.kind == DocumentNode::Kind::scalar)
    io::require_plain_path(node.text, base::concat(where, key));
  if (node.kind == DocumentNode::Kind::scalar)
    if (const auto value = parse_scalar(type, node)) return *value;
  if (node.kind == DocumentNode::Kind::sequence)
    if (const auto value = type.kind == Kind::lines ? parse_lines(node) : parse_list(type, node))
      return *value;
  if (node.kind == DocumentNode::Kind::map && type.kind == Kind::rule)
    if (const auto value = parse_rule(type, node)) return *value;
  base::fail(base::ErrorKind::configuration, where, key, " ", found(node), "; expected ",
             expectation(type), hint(type, node));
}

std::string written(const ValueType& type, const Value& value) {
  if (std::holds_alternative<Automatic>(value)) return type.word.empty() ? "auto" : type.word;
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  if (const double* real = std::get_if<double>(&value))
    return type.kind == Kind::duration ? base::shortest(*real) + " s" : base::shortest(*real);
  if (const auto* numbers = std::get_if<std::vector<Index>>(&value))
    return "[" + base::joined(*numbers) + "]";
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
    std::vector<std::string> words;
    for (const double real : *reals) words.push_back(base::shortest(real));
    return words.size() == 1 ? words.front() : "[" + base::joined(words) + "]";
  }
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
    return "[" + base::joined(*texts) + "]";
  const Index whole = std::get<Index>(value);
  return type.kind == Kind::bytes ? base::human_bytes(whole) : base::concat(whole);
}

}  // namespace cisolve::app
