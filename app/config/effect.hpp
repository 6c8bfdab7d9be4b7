#pragma once

#include <string>
#include <vector>

#include "app/config/configuration.hpp"

namespace cisolve::app {

/// When a key counts at all: a row of the table by which keys without effect are found, and which
/// the reference page shows.
struct KeyCondition {
  std::string key;   // "space.level", or "space." for each key of the section
  std::string when;  // "with space.kind ci or mrci"
  bool (*holds)(const Configuration& configuration);
};

const std::vector<KeyCondition>& key_conditions();

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
