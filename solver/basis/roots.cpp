#include "solver/basis/roots.hpp"

#include <algorithm>
#include <cmath>

#include "solver/task/error_bounds.hpp"

namespace cisolve::solver {
namespace {

constexpr int kNeighbours = 2;
// Most partners that free columns may hold, even if a restart keeps fewer.
constexpr int kMostPartners = 8;
// Corrections that each state gets in turn, before states are converged one by one.
constexpr int kTurnsOfEachState = 2;
// Allowed error of an energy by mixing with a neighbour, in units of the tolerance.
constexpr double kMixingError = 1e-2;

}  // namespace

bool Roots::recount_beyond() {
  const Sizes& sizes = task_.sizes;
  const int more = std::min(kMostPartners, sizes.capacity - 3 * sizes.width - states());
  beyond_ = std::min(seen_beyond(), std::max({0, sizes.kept - states(), more}));
  root_status_.grow(count());
  return !all_finished();
}

int Roots::below_last() const {
  int first = states() - 1;
  while (first > 0 && basis_.values()[first] - basis_.values()[first - 1] <= kApart * width())
    --first;
  return first;
}

bool Roots::recount_neighbours() {
  const int most = std::min(basis_.size(), task_.sizes.kept) - states();
  beyond_ = std::clamp(kNeighbours, 0, std::max(0, most));
  root_status_.grow(count());
  return !all_finished();
}

void Roots::find_residuals(const std::vector<int>& roots) {
  const std::vector<double> norms = basis_.find_residuals(roots);
  const double size =
      std::max({basis_.largest(), task_.largest_ritz, task_.setup.largest_diagonal()});
  const double most = rounding_of_energies(task_.vectors.dimension(), size);
  for (std::size_t j = 0; j < roots.size(); ++j) floor_.record_residual(roots[j], norms[j], most);
  for (std::size_t j = 0; j < roots.size(); ++j)
    root_status_.record(roots[j], basis_.values()[roots[j]], norms[j], required_residual(roots[j]));
  known_ = std::ssize(roots) == count() ? count() : 0;
  known_at_ = basis_.space().changes();
}

void Roots::find_all_residuals() {
  if (known_ == count() && known_at_ == basis_.space().changes()) return;
  const int step = std::max(1, std::min(basis_.free_columns(), task_.sizes.width));
  for (int first = 0; first < count(); first += step) {
    std::vector<int> some;
    for (int j = first; j < std::min(first + step, count()); ++j) some.push_back(j);
    find_residuals(some);
  }
  known_ = count();
}

void Roots::restart(int kept) {
  kept = std::min(std::max(kept, count()), basis_.size());
  basis_.restart(kept, std::max(kept, task_.sizes.capacity - task_.sizes.width));
}

void Roots::measure_rounding() {
  if (floor_.needs_measurement()) floor_.measured(basis_.recompute_all_images(states()));
}

/// The tolerance, or less if a neighbour beyond the roots is so near that a residual r lets the
/// energy err by more than a hundredth of the tolerance: the error is at most r^2 / gap, and at
/// most r. Beyond the states only the energy matters, to within the tolerance.
double Roots::required_residual(int root) const {
  const double tolerance = task_.options.tolerance;
  if (root >= states() && task_.wanted != nullptr && task_.wanted->energy())
    return std::max(required_residual_of_neighbour(root, *task_.wanted->energy()), rounding());
  double accuracy = tolerance;
  if (basis_.size() > count()) {
    const double gap = basis_.gap_beyond(count(), root);
    const double allowed = kMixingError * tolerance;
    accuracy = root < states() ? std::clamp(std::sqrt(allowed * gap), allowed, tolerance)
                               : std::max(std::sqrt(tolerance * std::max(gap, 0.0)), tolerance);
  }
  return std::max(accuracy, rounding());
}

/// Some eigenvalue lies within the residual of each value. If the neighbour's residual is below
/// half of (its distance - largest distance of a state), its eigenvalue is farther than the
/// states', too.
double Roots::required_residual_of_neighbour(int root, double energy) const {
  const auto distance = [&](int j) { return std::abs(basis_.values()[j] - energy); };
  double farthest = 0;
  for (int j = 0; j < states(); ++j) farthest = std::max(farthest, distance(j));
  return std::max(task_.options.tolerance, 0.5 * (distance(root) - farthest));
}

/// The lowest unfinished roots, as many as are corrected at once. If only one is corrected at a
/// time, the states take turns at first; otherwise a state whose symmetry differs from the lowest
/// one's could be displaced by other states while the lowest is refined.
std::vector<int> Roots::next_roots(Index partners) const {
  std::vector<int> roots;
  const int state_in_turn = rounds_ < kTurnsOfEachState * states() ? rounds_ % states() : 0;
  const bool takes_turns = task_.sizes.is_tight && !root_status_.finished(state_in_turn);
  for (int j = takes_turns ? state_in_turn : 0;
       j < count() && std::ssize(roots) < task_.sizes.width; ++j) {
    if (root_status_.finished(j)) continue;
    if (j >= states() && partners-- <= 0) break;
    roots.push_back(j);
  }
  return roots;
}

/// The last bits of a residual depend on which others are computed with it, so one close to the
/// accuracy may pass or fail: roots that the final evaluation of all finds unfinished are
/// corrected, whatever a further evaluation would give.
std::vector<int> Roots::unfinished(Index partners) {
  root_status_.forget_moved(basis_.values(), std::max(task_.options.tolerance, rounding()));
  for (std::vector<int> roots = next_roots(partners); !roots.empty();
       roots = next_roots(partners)) {
    find_residuals(roots);
    const auto ready = std::erase_if(roots, [this](int j) { return root_status_.finished(j); });
    if (roots.empty()) continue;
    if (ready > 0) find_residuals(roots);
    ++rounds_;
    return roots;
  }
  find_all_residuals();  // one evaluation, before all count as finished
  std::vector<int> roots = next_roots(partners);
  if (!roots.empty()) find_residuals(roots);
  return roots;
}

}  // namespace cisolve::solver
