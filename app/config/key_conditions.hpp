#pragma once

#include <string>
#include <vector>

#include "app/config/configuration.hpp"

namespace cisolve::app {

/// Condition under which a key, or each key of a section, has an effect; for the reference page.
struct KeyCondition {
  std::string key;   // "space.level", or "space." for each key of the section
  std::string when;  // "with space.kind ci or mrci"
  bool (*holds)(const Configuration& configuration);
};

/// The keys and their conditions, in the order of the schema.
std::vector<KeyCondition> key_conditions();

/// A key that was given but has no effect, and the condition that it needs.
struct UnusedKey {
  std::string key;
  std::string when;
};

/// The keys of a job that were given and have no effect on it, in the order of the schema.
std::vector<UnusedKey> keys_without_effect(const Configuration& configuration);

/// Keys that have no effect on any point of a sweep.
std::vector<UnusedKey> keys_without_effect_on_sweep(const Configuration& configuration);

}  // namespace cisolve::app
