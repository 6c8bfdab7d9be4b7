#pragma once

#include <string>
#include <vector>

#include "app/config/configuration.hpp"

namespace cisolve::app {

/// When a key, or each key of a section, counts at all, for the reference page.
struct KeyCondition {
  std::string key;   // "space.level", or "space." for each key of the section
  std::string when;  // "with space.kind ci or mrci"
  bool (*holds)(const Configuration& configuration);
};

/// In the order of the schema.
std::vector<KeyCondition> key_conditions();

/// A key that was given and changes nothing, with what it would need.
struct IdleKey {
  std::string key;
  std::string when;
};

/// The keys of a job that were given and have no effect on it, in the order of the schema.
std::vector<IdleKey> keys_without_effect(const Configuration& configuration);

/// Those of a sweep that have none on any of its points.
std::vector<IdleKey> keys_without_effect_on_sweep(const Configuration& configuration);

}  // namespace cisolve::app
