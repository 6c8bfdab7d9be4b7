#include "app/runs/input_identity.hpp"

#include <map>

#include "app/config/save.hpp"
#include "app/config/schema.hpp"
#include "app/config/version.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/files/mapped_file.hpp"
#include "io/files/sha256.hpp"

namespace cisolve::app {
namespace {

/// Longest value shown in full; a longer one is shown as its digest.
constexpr std::size_t kLongest = 200;

constexpr int kMostShown = 6;  // differences

std::string digest_of_file(const std::string& path) {
  const io::MappedFile file(path);
  std::string digest = "sha256 " + io::sha256(file.text());
  file.require_unchanged();
  return digest;
}

std::string brief_fact(const std::string& text) {
  const bool fits = text.size() <= kLongest && text.find('\n') == std::string::npos;
  return fits ? text : "sha256 " + io::sha256(text);
}

bool names_file(const Key& key, const Value& value) {
  return key.type.names_file() && std::holds_alternative<std::string>(value);
}

std::string fact(const Key& key, const Configuration& configuration) {
  const Value value = key.get(configuration);
  const std::string text = written(key.type, value);
  return names_file(key, value) ? digest_of_file(text) : brief_fact(text);
}

// A missing file fails only its own points.
std::string fact_of_sweep(const Key& key, const Configuration& configuration) {
  try {
    return fact(key, configuration);
  } catch (const base::Error&) {
    return "no file";
  }
}

std::string fact_of_value(const Key& key, const SweepAxis& axis, const SweepValue& value) {
  const bool is_text = value.value.kind == DocumentNode::Kind::scalar;
  if (!key.type.names_file() || !is_text || value.value.text == key.type.word)
    return brief_fact(exact_text(value.value));
  try {
    return digest_of_file((axis.directory / value.value.text).string());
  } catch (const base::Error&) {
    return "no file";
  }
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
    const bool is_of_sites = is_symmetry_key(key) || key.path == "space.spin";
    const bool is_of_determinants =
        key.path.starts_with("space.") && key.path != "space.partition" && !is_symmetry_key(key);
    const bool is_of_used_space =
        (is_of_sites && job::is_site_basis(configuration.request)) ||
        (is_of_determinants && job::has_determinants(configuration.request));
    if (key.is_later() || (!key.path.starts_with("problem.") && !is_of_used_space)) continue;
    if (key.path == "problem.operators") continue;  // the states do not depend on them
    if (belongs_to_another_source(key, configuration.request.source)) continue;
    identity += key.path + ": " + fact(key, configuration) + "\n";
  }
  return identity;
}

std::string configuration_identity(const Configuration& configuration) {
  std::string identity = base::concat(kIdentityBegin, kVersion, "\n");
  for (const Key& key : schema()) {
    if (key.is_later() || key.path.starts_with("output.")) continue;
    if (belongs_to_another_source(key, configuration.request.source)) continue;
    identity += key.path + ": " + fact_of_sweep(key, configuration) + "\n";
  }
  for (const SweepAxis& axis : configuration.sweep.axes)
    for (std::size_t i = 0; i < axis.values.size(); ++i)
      identity +=
          base::concat("sweep.", axis.key, "[", i + 1,
                       "]: ", fact_of_value(*find_key(axis.key), axis, axis.values[i]), "\n");
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
  int found = 0;
  const auto add = [&](const auto&... parts) {
    if (++found <= kMostShown) text += base::concat(text.empty() ? "" : ", ", parts...);
  };
  for (const auto& [key, value] : before)
    if (value_in(after, key) != value) add(key, " was ", value, " and is ", value_in(after, key));
  for (const auto& [key, value] : after)
    if (!before.contains(key)) add(key, " is ", value, " and was not given");
  return found <= kMostShown ? text : base::concat(text, " and ", found - kMostShown, " more");
}

}  // namespace cisolve::app
