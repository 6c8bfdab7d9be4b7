#include "solver/search/search_around.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "solver/search/missed_states.hpp"

namespace cisolve::solver {
namespace {

constexpr double kSmallestDistance = 1e-2;  // fraction of the spread of the Ritz values

constexpr int kMostKnown = 20;           // vectors; each takes a product and saves many
constexpr Index kShareOfKnown = 4;       // fraction 1/4 of the budget, at most
constexpr double kSurelyOutside = 1e-6;  // relative to the square of the radius

/// Radius of the states, including those as far as the farthest, which are finished as well, and
/// the apparent least distance of the others.
struct StatesRadius {
  int states;
  double radius = 0;
  double beyond;

  StatesRadius(const RitzBasis& basis, const Roots& roots, double energy, double tolerance)
      : states(roots.states()) {
    const auto distance = [&](int j) { return std::abs(basis.values()[j] - energy); };
    for (int j = 0; j < states; ++j) radius = std::max(radius, distance(j));
    const double shared = radius + 2 * tolerance;
    while (states < roots.count() && distance(states) <= shared + roots.width()) ++states;
    radius = shared + roots.width();
    double nearest = std::numeric_limits<double>::infinity();
    double spread = radius;
    for (int j = states; j < basis.size(); ++j) {
      nearest = std::min(nearest, distance(j));
      spread = std::max(spread, distance(j));
    }
    beyond = std::max(std::isfinite(nearest) ? nearest : radius, kSmallestDistance * spread);
  }
};

/// Vectors V of the basis beyond the states, orthogonal to them, with V^T B V positive for B = (A -
/// energy)^2 - radius^2: as in KnownUpperSpace, the search may be restricted to the complement of B
/// V.
std::vector<int> known_beyond(const RitzBasis& basis, int states, double radius,
                              Index product_budget) {
  const int most = static_cast<int>(
      std::min<Index>({kMostKnown, product_budget / kShareOfKnown, Index{basis.size()} - states}));
  std::vector<int> known(std::max(0, most));
  std::iota(known.begin(), known.end(), states);
  if (known.empty()) return known;
  const SmallMatrix v = basis.coefficients(known);
  const SmallMatrix squares = transposed_product(v, product(basis.squared(), v));
  const double least = (1 + kSurelyOutside) * radius * radius;
  if (symmetric_eigen(squares).values.front() < least) known.clear();
  return known;
}

/// y = B V
void fill_images(const Task& task, RitzBasis& basis, const std::vector<int>& known, double radius,
                 Columns scratch, Columns y) {
  const double energy = *task.wanted->energy();
  const SearchSpace& space = basis.space();
  for (int j = 0; j < y.count(); ++j) {
    const SmallMatrix v = basis.coefficients({known[j]});
    const Columns image = y.slice(j, 1);
    task.vectors.update(1, space.image(), v, 0, scratch);
    task.matrix.apply(scratch, image);
    task.vectors.axpy(-energy, scratch, image);
    task.vectors.update(-radius * radius, space.basis(), v, 1, image);
  }
}

}  // namespace

SearchOutcome search_around(const Task& task, RitzBasis& basis, const Roots& roots, int number,
                            Index product_budget, const std::function<bool()>& goes_on) {
  const double energy = *task.wanted->energy();
  const StatesRadius rim(basis, roots, energy, task.options.tolerance);
  std::vector<int> known = known_beyond(basis, rim.states, rim.radius, product_budget);
  const SearchWorkspace workspace(task, basis, rim.states, static_cast<int>(std::ssize(known)));
  if (workspace.is_none()) return {};
  const int products = workspace.known();
  known.resize(products);
  const auto most = static_cast<int>(
      std::min<Index>((product_budget - products) / 2, std::numeric_limits<int>::max()));
  const Columns deflated = workspace.deflated();
  task.vectors.update(1, std::as_const(basis.space()).basis(), basis.first_coefficients(rim.states),
                      0, deflated.slice(0, rim.states));
  fill_images(task, basis, known, rim.radius, workspace.work()[0],
              deflated.slice(rim.states, products));
  MissedStates missed(task.vectors, task.setup, {energy, rim.radius}, rim.beyond, deflated,
                      workspace.work());
  const SearchRun found =
      missed.run(task.matrix, base::mix(task.options.seed + 1, number), most, goes_on,
                 may_end_early(task.options, task.vectors.dimension()));
  const bool points = found.verdict == SearchVerdict::found;
  if (points) missed.point_to_found(basis.space().free_basis(1));
  return {end_of(found, true), found.miss_probability, points};
}

}  // namespace cisolve::solver
