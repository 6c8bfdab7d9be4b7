#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/conditions.hpp"
#include "app/config/configuration.hpp"
#include "app/config/value.hpp"

namespace cisolve::app {

/// One key of the configuration. Validation, --set, command-line options, the reference page and
/// the JSON Schema are generated from the table of keys, so a new key is one row of schema.cpp and
/// one member of Configuration.
struct Key {
  std::string path;  // "storage.boundary"
  ValueType type;
  std::string help;
  std::function<void(Configuration&, const Value&)> set;  // empty: a key of a later version
  std::function<Value(Configuration)> get;

  std::vector<Condition> conditions = {};  // the key has an effect only if all hold
  std::string never_in_sweeps_when =
      {};  // condition shown for a key that never applies in sweeps; empty: it does

  template <class... Conditions>
  Key applies_if(const Conditions&... all) && {
    (conditions.push_back(all), ...);
    return std::move(*this);
  }
  Key never_in_sweeps(std::string when) && {
    never_in_sweeps_when = std::move(when);
    return std::move(*this);
  }

  bool is_later() const { return !set; }
  /// Value that applies if the key is not given.
  std::string fallback() const;
};

const std::vector<Key>& schema();

/// The key of that path, or null.
const Key* find_key(std::string_view path);

/// The keys and sections directly inside a section ("" is the whole).
std::vector<std::string> names_in(std::string_view section);
bool is_section(std::string_view path);
/// "boundary" of "storage.boundary".
std::string last_of(std::string_view path);

/// Whether a key names what symmetry states on a lattice have.
bool is_symmetry_key(const Key& key);

/// "; did you mean 'storage.format'?", or a list of what the section holds.
std::string suggestion(std::string_view unknown_path);

}  // namespace cisolve::app
