#include <algorithm>

#include "app/config/schema.hpp"
#include "app/config/suggest.hpp"
#include "base/text.hpp"

// Finds keys by name, or the key that an unknown name was meant to be.
namespace cisolve::app {
namespace {

std::string parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string() : std::string(path.substr(0, dot));
}

/// The keys of that name, whatever section they are in: the right name in the wrong section.
std::string keys_named(std::string_view name) {
  std::vector<std::string> paths;
  for (const Key& key : schema())
    if (last_of(key.path) == name) paths.push_back("'" + key.path + "'");
  return alternatives(paths);
}

}  // namespace

std::string last_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return std::string(dot == std::string_view::npos ? path : path.substr(dot + 1));
}

bool is_symmetry_key(const Key& key) { return key.path.starts_with("space.symmetry."); }

const Key* find_key(std::string_view path) {
  const auto found = std::ranges::find(schema(), path, &Key::path);
  return found == schema().end() ? nullptr : &*found;
}

std::vector<std::string> names_in(std::string_view section) {
  const std::string prefix = section.empty() ? "" : std::string(section) + ".";
  std::vector<std::string> names;
  for (const Key& key : schema()) {
    if (!key.path.starts_with(prefix)) continue;
    std::string name = key.path.substr(prefix.size());
    name = name.substr(0, name.find('.'));
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

bool is_section(std::string_view path) {
  const std::string prefix = std::string(path) + ".";
  return std::ranges::any_of(schema(),
                             [&](const Key& key) { return key.path.starts_with(prefix); });
}

std::string suggestion(std::string_view unknown_path) {
  const std::string section = parent_of(unknown_path);
  const std::string name = last_of(unknown_path);
  const std::string prefix = section.empty() ? "" : section + ".";
  const std::vector<std::string> siblings = names_in(section);
  if (const std::string elsewhere = keys_named(name); !elsewhere.empty())
    return base::concat("; did you mean ", elsewhere, "?");
  if (const std::string sibling = nearest(name, siblings); !sibling.empty())
    return base::concat("; did you mean '", prefix, sibling, "'?");
  if (siblings.empty()) return base::concat("; there is no section '", section, "'");
  return base::concat("; expected ", alternatives(siblings));
}

}  // namespace cisolve::app
