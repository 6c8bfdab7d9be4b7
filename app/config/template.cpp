#include "app/config/template.hpp"

#include <algorithm>
#include <cctype>

#include "app/config/conditions.hpp"
#include "app/config/save.hpp"
#include "app/config/schema.hpp"
#include "app/config/suggest.hpp"

namespace cisolve::app {
namespace {

constexpr std::size_t kHelpColumn = 34;

struct Line {
  const Key* key;
  bool active;
};

std::string section_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::size_t depth_of(const std::string& path) { return std::ranges::count(path, '.'); }

bool is_within(const std::string& path, const std::string& section) {
  return path.starts_with(section + ".");
}

std::string help_of(const Key& key) {
  return key.type.kind == ValueType::Kind::choice ? key.help + ": " + alternatives(key.type.choices)
                                                  : key.help;
}

// Quoted only if YAML would misread the value.
std::string plain_text(const Key& key, const Value& value) {
  const auto is_plain = [](char c) {
    return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '.' || c == '/' || c == '-' ||
           c == '_' || c == '+';
  };
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && (text->empty() || !std::ranges::all_of(*text, is_plain)))
    return exact_text(key.type, value);
  if (std::holds_alternative<std::vector<std::string>>(value)) return exact_text(key.type, value);
  return written(key.type, value);
}

std::string padded(std::string text) {
  text.resize(std::max(text.size() + 1, kHelpColumn), ' ');
  return text;
}

std::string key_line(const Line& line, const Configuration& configuration) {
  const Key& key = *line.key;
  const std::string indent(2 * depth_of(key.path), ' ');
  const std::string name = key.path.substr(key.path.rfind('.') + 1);
  const std::string value = plain_text(key, key.get(configuration));
  const std::string begin = line.active ? indent : indent + "# ";
  return padded(begin + name + ": " + value) + "# " + help_of(key) + "\n";
}

// Section headings between two keys. They are never commented out, so that an uncommented key is in
// its section; a section without active keys has no effect.
std::string headings(const std::string& from, const std::string& to) {
  std::string text;
  for (std::size_t end = to.find('.'); !to.empty(); end = to.find('.', end + 1)) {
    const std::string section = to.substr(0, end);
    if (from != section && !is_within(from, section)) {
      const std::string indent(2 * depth_of(section), ' ');
      text += indent.empty() ? "\n" : "";
      text += indent + section.substr(section.rfind('.') + 1) + ":\n";
    }
    if (end == std::string::npos) break;
  }
  if (to.empty() && !from.empty()) text += "\n";
  return text;
}

bool concerns(const Key& key, const Configuration& configuration) {
  const bool chemical = key.path.starts_with("space.") || key.path.starts_with("analysis.");
  const bool electrons = key.path == "problem.electrons" || key.path == "problem.ms2";
  if (is_symmetry_key(key)) return configuration.request.source == job::ProblemSource::lattice;
  const bool of_operators = key.path == "problem.operators" || key.path == "analysis.properties";
  if (of_operators && !conditions::kIntegrals.holds(configuration)) return false;
  return !key.is_later() && !belongs_to_another_source(key, configuration.request.source) &&
         (job::has_determinants(configuration.request) || (!chemical && !electrons)) &&
         (configuration.request.source == job::ProblemSource::matrix ||
          key.path != "problem.reference_columns");
}

}  // namespace

std::string commented_configuration(const Configuration& configuration,
                                    const std::vector<std::string>& shown) {
  std::vector<Line> lines;
  for (const Key& key : schema())
    if (concerns(key, configuration))
      lines.push_back({&key, key.get(configuration) != key.get(Configuration{}) ||
                                 std::ranges::find(shown, key.path) != shown.end()});
  std::string text;
  std::string open;
  for (const Line& line : lines) {
    const std::string section = section_of(line.key->path);
    if (section != open) text += headings(open, section);
    open = section;
    text += key_line(line, configuration);
  }
  return text;
}

}  // namespace cisolve::app
