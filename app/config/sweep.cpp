#include "app/config/sweep.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <ranges>

#include "app/config/schema.hpp"
#include "base/error.hpp"
#include "base/number.hpp"

namespace cisolve::app {
namespace {

using base::ErrorKind;
using base::fail;
using Kind = ValueType::Kind;

[[noreturn]] void refuse(const std::string& where, const std::string& key,
                         const std::string& message) {
  fail(ErrorKind::configuration, where, "sweep of ", key, ": ", message);
}

const DocumentNode* entry_of(const DocumentNode& map, std::string_view name) {
  for (const DocumentNode& entry : map.children)
    if (entry.key == name) return &entry;
  return nullptr;
}

// The default label of a value: its text in the file.
std::string label_of(const DocumentNode& node) {
  if (node.kind == DocumentNode::Kind::scalar) return node.text;
  if (node.kind == DocumentNode::Kind::map)
    return base::joined(std::views::transform(
        node.children, [](const DocumentNode& entry) { return entry.key + ": " + entry.text; }));
  return "[" + base::joined(std::views::transform(node.children, &DocumentNode::text)) + "]";
}

/// A range of numbers: its ends, and how one comes from the one before.
struct Range {
  double from = 0;
  double to = 0;
  std::optional<double> step;
  std::optional<double> factor;
};

Range read_range(const std::string& key, const DocumentNode& node, const std::string& where) {
  Range range;
  bool has_from = false;
  bool has_to = false;
  const ValueType number{Kind::real, 0, 0, {}, {}};
  for (const DocumentNode& entry : node.children) {
    const auto read = [&] {
      return std::get<double>(read_value(number, entry, "sweep." + key + "." + entry.key, where));
    };
    if (entry.key == "from") {
      range.from = read();
      has_from = true;
    } else if (entry.key == "to") {
      range.to = read();
      has_to = true;
    } else if (entry.key == "step") {
      range.step = read();
    } else if (entry.key == "factor") {
      range.factor = read();
    } else {
      refuse(where, key,
             "'" + entry.key + "' is not a key of a range or of a labelled value; " +
                 "expected {from, to, step}, {from, to, factor} or {value, label}");
    }
  }
  if (!has_from || !has_to || range.step.has_value() == range.factor.has_value())
    refuse(where, key, "the range is incomplete; expected {from, to, step} or {from, to, factor}");
  return range;
}

void require_progress(const Range& range, const std::string& key, const std::string& where) {
  const bool upwards = range.to >= range.from;
  if (range.step && (*range.step == 0 || (*range.step > 0) != upwards))
    refuse(where, key,
           "a step of " + base::shortest(*range.step) + " does not lead from " +
               base::shortest(range.from) + " to " + base::shortest(range.to));
  if (range.factor && (range.from <= 0 || range.to <= 0 || *range.factor <= 0 ||
                       *range.factor == 1 || (*range.factor > 1) != upwards))
    refuse(where, key,
           "a factor of " + base::shortest(*range.factor) + " does not lead from " +
               base::shortest(range.from) + " to " + base::shortest(range.to));
}

// Values are from + i step or from factor^i, each computed independently.
std::vector<double> numbers_of(const Range& range, const std::string& key,
                               const std::string& where) {
  require_progress(range, key, where);
  constexpr double slack = 1e-9;  // lets {from: 0, to: 1, step: 0.1} reach 1
  const double steps = range.step ? (range.to - range.from) / *range.step
                                  : std::log(range.to / range.from) / std::log(*range.factor);
  if (!(steps < static_cast<double>(kMostSweepPoints)))
    refuse(
        where, key,
        base::concat("the range has more than ", kMostSweepPoints, " values; use a larger step"));
  std::vector<double> numbers;
  for (int i = 0; i <= static_cast<int>(steps + slack); ++i)
    numbers.push_back(range.step ? range.from + i * *range.step
                                 : range.from * std::pow(*range.factor, i));
  return numbers;
}

SweepValue as_value(const DocumentNode& node) { return {node, label_of(node)}; }

void add_range(std::vector<SweepValue>& values, const std::string& key, const DocumentNode& node,
               const std::string& where) {
  const Kind kind = find_key(key)->type.kind;
  const bool whole = kind == Kind::whole || kind == Kind::orbitals || kind == Kind::irrep;
  if (!whole && kind != Kind::real)
    refuse(where, key, "only a numeric key takes a range; expected a list of values");
  for (const double number : numbers_of(read_range(key, node, where), key, where)) {
    DocumentNode scalar;
    scalar.kind = DocumentNode::Kind::scalar;
    scalar.line = node.line;
    scalar.text = whole ? base::concat(std::llround(number)) : base::rounded(number);
    values.push_back(as_value(scalar));
  }
}

SweepValue labelled(const std::string& key, const DocumentNode& node, const std::string& where) {
  const DocumentNode* value = entry_of(node, "value");
  const DocumentNode* label = entry_of(node, "label");
  if (value == nullptr || label == nullptr || node.children.size() != 2 || label->text.empty() ||
      label->kind != DocumentNode::Kind::scalar)
    refuse(where, key, "the labelled value is incomplete; expected {value: ..., label: TEXT}");
  return {*value, label->text};
}

void add_item(std::vector<SweepValue>& values, const std::string& key, const DocumentNode& item,
              const std::string& where) {
  if (item.kind == DocumentNode::Kind::null)
    refuse(where, key, "the list contains an empty value; remove it");
  const bool is_map = item.kind == DocumentNode::Kind::map;
  if (is_map && (entry_of(item, "value") != nullptr || entry_of(item, "label") != nullptr))
    values.push_back(labelled(key, item, where));
  else if (is_map && find_key(key)->type.kind != Kind::rule)
    add_range(values, key, item, where);
  else
    values.push_back(as_value(item));
}

}  // namespace

bool can_be_swept(std::string_view key) {
  return !key.starts_with("output.") && !key.starts_with("sweep.") && key != "product.repeat";
}

std::vector<SweepValue> read_sweep_values(const std::string& key, const DocumentNode& node,
                                          const std::string& where) {
  std::vector<SweepValue> values;
  if (node.kind != DocumentNode::Kind::sequence) {
    add_item(values, key, node, where);
    return values;
  }
  if (node.children.empty()) refuse(where, key, "the list is empty; expected at least one value");
  for (const DocumentNode& item : node.children) add_item(values, key, item, where);
  if (std::ssize(values) > kMostSweepPoints)
    refuse(where, key,
           base::concat("the list has more than ", kMostSweepPoints, " values; remove some"));
  return values;
}

bool next_choice(const std::vector<SweepAxis>& axes, std::vector<std::size_t>& chosen) {
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (++chosen[i] < axes[i].values.size()) return true;
    chosen[i] = 0;
  }
  return false;
}

}  // namespace cisolve::app
