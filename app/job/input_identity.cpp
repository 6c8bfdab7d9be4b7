#include "app/job/input_identity.hpp"

#include <map>

#include "app/config/save.hpp"
#include "app/config/schema.hpp"
#include "base/text.hpp"
#include "io/mapped_file.hpp"
#include "io/sha256.hpp"

namespace cisolve::app {
namespace {

constexpr std::size_t kLongest = 200;  // of a value that is shown; a longer one is its digest

std::string fact(const Key& key, const Configuration& configuration) {
  const Value value = key.get(configuration);
  const std::string text = written(key.type, value);
  if (key.type.kind == ValueType::Kind::path && std::holds_alternative<std::string>(value))
    return "sha256 " + io::sha256(io::MappedFile(text).text());
  return text.size() > kLongest ? "sha256 " + io::sha256(text) : text;
}

std::map<std::string, std::string, std::less<>> facts_in(std::string_view identity) {
  std::map<std::string, std::string, std::less<>> facts;
  while (!identity.empty()) {
    const std::string_view line = identity.substr(0, identity.find('\n'));
    identity.remove_prefix(std::min(identity.size(), line.size() + 1));
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    facts.emplace(line.substr(0, colon), line.substr(colon + 2));
  }
  return facts;
}

}  // namespace

std::string input_identity(const Configuration& configuration) {
  std::string identity;
  for (const Key& key : schema()) {
    const bool of_space = key.path.starts_with("space.") && key.path != "space.partition" &&
                          is_molecular(configuration);
    if (key.is_later() || (!key.path.starts_with("problem.") && !of_space)) continue;
    if (belongs_to_another_source(key, configuration.source)) continue;
    identity += key.path + ": " + fact(key, configuration) + "\n";
  }
  return identity;
}

std::string differences(std::string_view then, std::string_view now) {
  const auto before = facts_in(then);
  const auto after = facts_in(now);
  const auto value_in = [](const auto& facts, const std::string& key) {
    const auto found = facts.find(key);
    return found == facts.end() ? std::string("not given") : found->second;
  };
  std::string text;
  for (const auto& [key, value] : before)
    if (value_in(after, key) != value)
      text += base::concat(text.empty() ? "" : ", ", key, " was ", value, " and is ",
                           value_in(after, key));
  for (const auto& [key, value] : after)
    if (!before.contains(key))
      text += base::concat(text.empty() ? "" : ", ", key, " is ", value, " and was not given");
  return text;
}

}  // namespace cisolve::app
