#include "app/config/save.hpp"

#include <cmath>
#include <filesystem>
#include <ranges>

#include "base/text.hpp"

namespace cisolve::app {
namespace {

using Kind = ValueType::Kind;

std::string yaml_text(const std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') result += '\\';
    if (byte < 0x20 || byte == 0x7f)
      result += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    else
      result += c;
  }
  return result + "\"";
}

std::string yaml_text(const std::vector<std::string>& texts) {
  const auto each = [](const std::string& text) { return yaml_text(text); };
  return "[" + base::joined(std::views::transform(texts, each)) + "]";
}

// The file may be read from anywhere, so paths are absolute.
std::string kept(const ValueType& type, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (type.names_file() && text != nullptr)
    return yaml_text(std::filesystem::absolute(*text).string());
  return exact_text(type, value);
}

// The first key of a source is always written, since it identifies the source.
bool names_source(const Key& key, job::ProblemSource source) {
  return (source == job::ProblemSource::generate && key.path == "problem.generate.rows") ||
         (source == job::ProblemSource::lattice && key.path == "problem.lattice.columns");
}

std::string flow_text(const std::vector<DocumentNode>& children, bool named) {
  std::string text;
  for (const DocumentNode& child : children)
    text += base::concat(text.empty() ? "" : ", ", named ? yaml_text(child.key) + ": " : "",
                         exact_text(child));
  return text;
}

// The file may be read from anywhere, so the paths among the values are absolute.
std::string kept(const SweepAxis& axis, const SweepValue& value) {
  const ValueType& type = find_key(axis.key)->type;
  const DocumentNode& node = value.value;
  const bool names_file =
      type.names_file() && node.kind == DocumentNode::Kind::scalar && node.text != type.word;
  return names_file ? yaml_text(std::filesystem::absolute(axis.directory / node.text).string())
                    : exact_text(node);
}

}  // namespace

std::string exact_text(const DocumentNode& node) {
  switch (node.kind) {
    case DocumentNode::Kind::null: return "null";
    case DocumentNode::Kind::sequence: return "[" + flow_text(node.children, false) + "]";
    case DocumentNode::Kind::map: return "{" + flow_text(node.children, true) + "}";
    case DocumentNode::Kind::scalar: break;
  }
  const bool plain = !node.quoted && node.text.find_first_of(",[]{}\"\n") == std::string::npos;
  return plain ? node.text : yaml_text(node.text);
}

std::string axes_text(const Configuration& configuration) {
  std::string text;
  for (const SweepAxis& axis : configuration.sweep.axes) {
    text += "sweep." + axis.key + ":\n";
    for (const SweepValue& value : axis.values)
      text += value.label.empty() || value.label == kept(axis, value)
                  ? "  - " + kept(axis, value) + "\n"
                  : base::concat("  - {value: ", kept(axis, value),
                                 ", label: ", yaml_text(value.label), "}\n");
  }
  return text;
}

std::string exact_text(const ValueType& type, const Value& value) {
  if (std::holds_alternative<Automatic>(value)) return written(type, value);
  if (type.kind == Kind::bytes) return base::concat(std::get<Index>(value), " B");
  if (type.kind == Kind::duration)
    return base::concat(std::llround(1000 * std::get<double>(value)), " ms");
  if (const auto* text = std::get_if<std::string>(&value)) return yaml_text(*text);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return yaml_text(*texts);
  return written(type, value);
}

bool belongs_to_another_source(const Key& key, job::ProblemSource source) {
  const auto within = [&](std::string_view name) { return key.path.starts_with(name); };
  return (within("problem.generate.") && source != job::ProblemSource::generate) ||
         (within("problem.lattice.") && source != job::ProblemSource::lattice) ||
         (key.path == "problem.matrix" && source != job::ProblemSource::matrix) ||
         (key.path == "problem.trexio" && source != job::ProblemSource::trexio) ||
         (key.path == "problem.fcidump" && source != job::ProblemSource::fcidump);
}

std::string configuration_text(const Configuration& configuration) {
  std::string text;
  std::string open;  // the section of the last line, with its dot
  for (const Key& key : schema()) {
    if (key.is_later() || belongs_to_another_source(key, configuration.request.source)) continue;
    const Value value = key.get(configuration);
    const bool reports = key.path == "product.vectors" && configuration.request.product.wanted;
    if (value == key.get(Configuration{}) && !names_source(key, configuration.request.source) &&
        !reports)
      continue;
    std::size_t begin = 0;
    std::string indent;
    for (std::size_t dot = key.path.find('.'); dot != std::string::npos;
         dot = key.path.find('.', begin)) {
      const std::string section = key.path.substr(0, dot + 1);
      if (!open.starts_with(section)) text += indent + key.path.substr(begin, dot - begin) + ":\n";
      begin = dot + 1;
      indent += "  ";
    }
    open = key.path.substr(0, begin);
    text += indent + key.path.substr(begin) + ": " + kept(key.type, value) + "\n";
  }
  return text;
}

}  // namespace cisolve::app
