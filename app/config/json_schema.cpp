#include "app/config/json_schema.hpp"

#include <cmath>

#include "app/config/key_conditions.hpp"
#include "app/config/schema.hpp"
#include "app/json/json.hpp"
#include "base/text.hpp"

namespace cisolve::app {
namespace {

using Kind = ValueType::Kind;
using Members = std::vector<Json::Member>;

constexpr double kExact = 0x1p53;  // larger JSON numbers are no exact counts

Json number(Kind kind, double value) {
  return kind == Kind::real ? Json(value) : Json(static_cast<Index>(value));
}

Members bounded(const ValueType& type, Kind kind) {
  Members members{{"type", kind == Kind::real ? "number" : "integer"}};
  if (type.low == type.high) return members;
  if (type.low > -kExact) members.emplace_back("minimum", number(kind, type.low));
  if (type.high < kExact) members.emplace_back("maximum", number(kind, type.high));
  return members;
}

Json texts(const std::vector<std::string>& words) {
  return Json::array(std::vector<Json>(words.begin(), words.end()));
}

Members text(const char* pattern) { return {{"type", "string"}, {"pattern", pattern}}; }

Members list_of(Members items) {
  return {{"type", "array"}, {"items", Json::object(std::move(items))}, {"minItems", 1}};
}

Members any_of(std::vector<Json> alternatives) {
  return {{"anyOf", Json::array(std::move(alternatives))}};
}

// A name, or a map of one name to a number; or the same as a string.
Members rule_of(const ValueType& type) {
  std::vector<Json> forms;
  for (const std::string& choice : type.choices) {
    const std::size_t colon = choice.find(": ");
    if (colon == std::string::npos) {
      forms.push_back(Json::object({{"const", choice}}));
      continue;
    }
    const std::string name = choice.substr(0, colon);
    forms.push_back(Json::object(
        {{"type", "object"},
         {"properties", Json::object({{name, Json::object(bounded(type, Kind::whole))}})},
         {"required", texts({name})},
         {"additionalProperties", false}}));
    forms.push_back(Json::object({{"type", "string"}, {"pattern", "^" + name + ": [0-9]+$"}}));
  }
  return any_of(std::move(forms));
}

Members choice_of(const ValueType& type) {
  std::vector<std::string> plain;
  std::vector<Json> numbered;
  for (const std::string& choice : type.choices)
    if (const auto name = numbered_name(choice))
      numbered.push_back(
          Json::object({{"type", "string"}, {"pattern", "^" + *name + ":(0|[1-9][0-9]*)$"}}));
    else
      plain.push_back(choice);
  Members names{{"enum", texts(plain)}};
  if (numbered.empty()) return names;
  numbered.insert(numbered.begin(), Json::object(names));
  return any_of(std::move(numbered));
}

// Type of a key without its keyword.
Members plain_type(const ValueType& type) {
  switch (type.kind) {
    case Kind::whole: return bounded(type, Kind::whole);
    case Kind::real: return bounded(type, Kind::real);
    case Kind::truth: return {{"type", "boolean"}};
    case Kind::text:
    case Kind::path:
    case Kind::folder: return {{"type", "string"}, {"minLength", 1}};
    case Kind::choice: return choice_of(type);
    case Kind::bytes: return text("^[0-9.]+ ?([KMGT]iB|[kMGT]?B)$");
    case Kind::duration: return text("^[0-9.]+ ?(s|min|h|ms)$");
    case Kind::wholes: return list_of(bounded(type, Kind::whole));
    case Kind::reals:
      return any_of({Json::object(bounded(type, Kind::real)),
                     Json::object(list_of(bounded(type, Kind::real)))});
    case Kind::texts: return list_of({{"type", "string"}});
    case Kind::names:
      return any_of({Json::object({{"enum", texts(type.choices)}}),
                     Json::object(list_of({{"type", "string"}}))});
    case Kind::lines:
      return any_of({Json::object({{"type", "string"}, {"minLength", 1}}),
                     Json::object(list_of({{"type", texts({"string", "array"})}}))});
    case Kind::orbitals:
      return any_of({Json::object(bounded(type, Kind::whole)),
                     Json::object(list_of({{"type", "integer"}, {"minimum", 1}}))});
    case Kind::irrep:
      return any_of({Json::object(bounded(type, Kind::whole)),
                     Json::object({{"enum", texts(type.choices)}})});
    case Kind::rule: return rule_of(type);
    case Kind::section: return {{"type", "object"}};
    case Kind::any: return {};
  }
  return {};
}

Json key_schema(const Key& key) {
  Members members{{"description", key.help}};
  Members type = plain_type(key.type);
  if (!key.type.word.empty())
    type =
        any_of({Json::object(std::move(type)), Json::object({{"enum", texts({key.type.word})}})});
  members.insert(members.end(), type.begin(), type.end());
  const std::string fallback = key.fallback();
  if (!fallback.empty()) {
    const Value value = key.get(Configuration{});
    const auto* truth = std::get_if<bool>(&value);
    const auto* whole = std::get_if<Index>(&value);
    const auto* real = std::get_if<double>(&value);
    const bool is_text = key.type.kind == Kind::bytes || key.type.kind == Kind::duration;
    members.emplace_back("default", truth != nullptr               ? Json(*truth)
                                    : whole != nullptr && !is_text ? Json(*whole)
                                    : real != nullptr && !is_text  ? Json(*real)
                                                                   : Json(fallback));
  }
  return Json::object(std::move(members));
}

// At most one source; none is required, since the command line may name it.
Members one_source() {
  std::vector<Json> pairs;
  const std::vector<std::string> sources{"matrix", "generate", "fcidump", "trexio", "lattice"};
  for (std::size_t a = 0; a < sources.size(); ++a)
    for (std::size_t b = a + 1; b < sources.size(); ++b)
      pairs.push_back(Json::object({{"required", texts({sources[a], sources[b]})}}));
  return {{"not", Json::object(any_of(std::move(pairs)))}};
}

Members section_members(const std::string& path) {
  Members properties;
  const std::string prefix = path.empty() ? "" : path + ".";
  for (const std::string& name : names_in(path)) {
    const Key* key = find_key(prefix + name);
    if (key == nullptr)
      properties.emplace_back(name, Json::object(section_members(prefix + name)));
    else if (!key->is_later())
      properties.emplace_back(name, key_schema(*key));
  }
  // A section may be empty (null).
  Members members{{"type", path.empty() ? Json("object") : texts({"object", "null"})},
                  {"properties", Json::object(std::move(properties))}};
  if (path != "sweep") members.emplace_back("additionalProperties", false);
  if (path == "problem")
    for (Json::Member& member : one_source()) members.push_back(std::move(member));
  return members;
}

std::string top_of(const std::string& path) { return path.substr(0, path.find('.')); }

std::string table_cell(std::string text) {
  for (std::size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 2))
    text.replace(bar, 1, "\\|");
  return text;
}

// Table of the conditions under which keys have an effect.
std::string conditions_text() {
  std::string text =
      "\n## Keys that have an effect only with others\n\n"
      "A key that has no effect in a job is reported by a warning. If a key has several rows, "
      "all of them\n"
      "must hold.\n\n"
      "| key | has an effect |\n| --- | --- |\n";
  for (const KeyCondition& condition : key_conditions())
    text += base::concat("| `", condition.key, condition.key.ends_with('.') ? "*" : "", "` | ",
                         condition.when, " |\n");
  return text;
}

}  // namespace

std::string configuration_json_schema() {
  Members members{{"$schema", "http://json-schema.org/draft-07/schema#"},
                  {"title", "ci-solve configuration"}};
  for (Json::Member& member : section_members("")) members.push_back(std::move(member));
  return Json::object(std::move(members)).document();
}

std::string configuration_reference() {
  std::string text =
      "# The configuration\n\n"
      "<!-- Made by `ci-solve schema --markdown`; a test keeps it true. -->\n\n"
      "One YAML or JSON file describes a job. Every key has a default, except the source of the "
      "problem.\n"
      "Input paths are relative to the folder of the configuration; `output.directory` is relative "
      "to the\n"
      "working directory. `--set KEY=VALUE` on the command line overrides the file, for example\n"
      "`--set solver.states=5`. Many editors check and complete the keys by\n"
      "[configuration.schema.json](configuration.schema.json); begin the file with\n"
      "`# yaml-language-server: $schema=PATH/configuration.schema.json`.\n";
  std::string open;
  for (const Key& key : schema()) {
    if (key.is_later()) continue;
    const bool alone = key.path.find('.') == std::string::npos;
    const std::string section = alone ? "The machine" : top_of(key.path);
    if (section != open) {
      text += "\n## " + (alone ? section : "`" + section + "`") +
              "\n\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
      open = section;
    }
    const std::string fallback = key.fallback();
    text += base::concat("| `", key.path, "` | ", table_cell(expectation(key.type)), " | ",
                         fallback.empty() ? "" : "`" + fallback + "`", " | ", table_cell(key.help),
                         " |\n");
  }
  return text + conditions_text();
}

}  // namespace cisolve::app
