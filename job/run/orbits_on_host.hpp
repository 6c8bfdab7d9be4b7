#pragma once

#include <optional>

#include "job/problem/site_problem.hpp"
#include "job/ranking/plan_fallback.hpp"

namespace cisolve::job {

/// The fallback if the host found the orbits in place of the device; none otherwise. `spins` may be
/// null.
inline std::optional<Fallback> orbits_on_host(const SiteProblemRows* spins) {
  if (spins == nullptr || spins->problem().fallback.empty()) return std::nullopt;
  return Fallback{"symmetry orbits on the device", "symmetry orbits on the host",
                  spins->problem().fallback};
}

}  // namespace cisolve::job
