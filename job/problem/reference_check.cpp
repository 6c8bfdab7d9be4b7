#include "job/problem/reference_check.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "ci/hamiltonian/rows/slater_condon.hpp"
#include "job/problem/molecular_space.hpp"

namespace cisolve::job {
namespace {

constexpr Index kMostLookedThrough = 10'000'000;
constexpr double kLower = 1e-6;  // less is a tie

bool was_not_chosen(const Request::Space& space) {
  return keys_of(space.kind).reference && space.reference.empty();
}

}  // namespace

std::string reference_warning(const Request& request, const DeterminantProblem& molecule) {
  const ci::Space& space = molecule.space;
  if (!was_not_chosen(request.space) || space.references().empty() ||
      space.dimension() > kMostLookedThrough)
    return {};
  const auto reference = space.row_of(space.references().front());
  if (!reference) return {};  // the reference has another irrep than the space
  const ci::HamiltonianDiagonal diagonal(space, molecule.integrals);
  const auto energy = [&](Index row) {
    const ci::Space::Place place = space.place_of(row);
    return diagonal(place.alpha, place.beta);
  };
  const double expected = energy(*reference);
  Index best = *reference;
  double lowest = expected - kLower;
  for (Index row = 0; row < space.dimension(); ++row)
    if (const double value = energy(row); value < lowest) {
      lowest = value;
      best = row;
    }
  if (best == *reference) return {};
  const auto text = [&](Index row) {
    const auto whole = ci::whole_determinant(molecule.window, space.determinant(row));
    return ci::to_text(whole.determinant, molecule.orbitals);
  };
  return base::concat(
      "the reference ", text(*reference), ", which fills the lowest orbitals, has the energy ",
      base::fixed(expected, 6), ", but ", text(best), " is lower at ", base::fixed(lowest, 6),
      "; set space.reference to it if that is the state you want");
}

}  // namespace cisolve::job
