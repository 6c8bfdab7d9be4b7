#include "app/config/key_conditions.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "app/config/load.hpp"
#include "app/config/save.hpp"
#include "app/config/schema.hpp"
#include "base/error.hpp"

namespace cisolve::app {
namespace {

using C = Configuration;

/// A condition of all keys directly inside a section.
struct SectionCondition {
  std::string section;
  const Condition& condition;
};

const std::vector<SectionCondition>& section_conditions() {
  static const std::vector<SectionCondition> all{
      {"space.", conditions::kSpaceOfDeterminants},
      {"space.symmetry.", conditions::kLattice},
      {"analysis.", conditions::kDescribed},
  };
  return all;
}

bool is_in(const std::string& section, const std::string& key) {
  return key.starts_with(section) && key.find('.', section.size()) == std::string::npos;
}

// space.spin also applies to lattice states in symmetry-adapted bases.
bool is_spin_of_sites(const C& c, const std::string& key) {
  return key == "space.spin" && job::is_site_basis(c.request);
}

const Condition* broken_condition(const C& configuration, const Key& key) {
  if (is_spin_of_sites(configuration, key.path)) return nullptr;
  for (const auto& [section, condition] : section_conditions())
    if (is_in(section, key.path) && !condition.holds(configuration)) return &condition;
  for (const Condition& condition : key.conditions)
    if (!condition.holds(configuration)) return &condition;
  return nullptr;
}

// Keys of a source that was replaced no longer count.
bool counts_as_given(const C& configuration, const Key& key) {
  return configuration.given.contains(key.path) &&
         !belongs_to_another_source(key, configuration.request.source);
}

}  // namespace

std::vector<KeyCondition> key_conditions() {
  std::vector<KeyCondition> all;
  std::set<std::string> begun;  // sections
  for (const Key& key : schema()) {
    for (const auto& [section, condition] : section_conditions())
      if (is_in(section, key.path) && !begun.contains(section))
        all.push_back({section, condition.when, condition.holds});
    begun.insert(key.path.substr(0, key.path.rfind('.') + 1));
    for (const Condition& condition : key.conditions)
      all.push_back({key.path, condition.when, condition.holds});
  }
  return all;
}

std::vector<UnusedKey> keys_without_effect(const Configuration& configuration) {
  std::vector<UnusedKey> unused;
  for (const Key& key : schema())
    if (counts_as_given(configuration, key))
      if (const Condition* broken = broken_condition(configuration, key))
        unused.push_back({key.path, broken->when});
  return unused;
}

std::vector<UnusedKey> keys_without_effect_on_sweep(const Configuration& configuration) {
  std::vector<UnusedKey> unused;
  std::vector<const Key*> open;  // keys that no point has used yet
  const std::vector<SweepAxis>& axes = configuration.sweep.axes;
  for (const Key& key : schema()) {
    const bool swept = std::ranges::count(axes, key.path, &SweepAxis::key) > 0;
    if (!swept && !counts_as_given(configuration, key)) continue;
    if (!key.never_in_sweeps_when.empty())
      unused.push_back({key.path, key.never_in_sweeps_when});
    else
      open.push_back(&key);
  }
  std::vector<std::size_t> chosen(axes.size(), 0);
  std::vector<UnusedKey> last;
  do {
    if (open.empty()) break;
    try {
      C point = at_sweep_point(configuration, chosen);
      point.sweep.axes = axes;
      last.clear();
      std::erase_if(open, [&](const Key* key) {
        const Condition* broken = broken_condition(point, *key);
        if (broken != nullptr) last.push_back({key->path, broken->when});
        return broken == nullptr;
      });
    } catch (const base::Error&) {
      continue;  // an invalid point does not affect the others
    }
  } while (next_choice(axes, chosen));
  std::ranges::move(last, std::back_inserter(unused));
  return unused;
}

}  // namespace cisolve::app
