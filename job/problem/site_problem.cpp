#include "job/problem/site_problem.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "ci/lattice/sectors/lattice_symmetry.hpp"
#include "ci/lattice/spins/spin_target.hpp"
#include "job/request/shortage.hpp"
#include "job/request/with_context.hpp"

namespace cisolve::job {
namespace {

using base::ErrorKind;
using base::fail;

/// Twice the requested total spin; none: any. `most` is twice the largest one.
std::optional<int> wanted_spin(const Request& request, const ci::SiteModel& model, int most,
                               const std::string& what) {
  const std::optional<int> twice = twice_spin(request);
  if (!twice) return std::nullopt;
  if (!model.keeps_spin())
    fail(ErrorKind::configuration, request.origin, ": space.spin is given, but the model does not ",
         "conserve the total spin; expected couplings that are equal in x, y and z and no field, "
         "or ",
         "spin: any");
  if (request.elements.threshold > 0)
    fail(ErrorKind::configuration, request.origin, ": space.spin and storage.threshold are ",
         "given, but setting small elements to zero breaks spin symmetry; expected only one of "
         "them");
  if ((most - *twice) % 2 != 0 || *twice > most)
    fail(ErrorKind::configuration, request.origin, ": space.spin is ",
         base::shortest(*request.space.spin), ", but ", what, " have a total of ",
         most % 2 == 0 ? "0, 1" : "0.5, 1.5", " and so on up to ", 0.5 * most,
         "; expected one of these, or spin: any");
  return twice;
}

/// Twice the projection. Default: the smallest, or the largest of the total spin, which has the
/// fewest states.
int projection(const Request& request, std::optional<int> spin, int spins, const char* what) {
  const bool flips = request.space.symmetry.spin.has_value();
  const Index ms2 = request.ms2.value_or(spin && !flips ? *spin : spins % 2);
  if ((spins + ms2) % 2 != 0 || std::abs(ms2) > spins)
    fail(ErrorKind::configuration, request.origin, ": ", spins, what, " cannot have ms2 = ", ms2,
         "; expected both even or both odd, and ms2 no more than the", what);
  if (flips && ms2 != 0)
    fail(ErrorKind::configuration, request.origin,
         ": space.symmetry.spin of states with ms2 = ", ms2,
         "; expected 'spin: any', or as many spins up as down");
  return static_cast<int>(ms2);
}

/// The problem of a request before orbits are found.
struct NamedSpins {
  LatticeProblem lattice;
  ci::SiteModel model = {};
  ci::ParticleNumbers filling = {};
  std::optional<ci::SymmetrySector> sector = std::nullopt;
  std::optional<int> twice_spin = std::nullopt;
  double states = 0;
};

void take_spins(const Request& request, NamedSpins& named) {
  const int sites = named.lattice.sites;
  named.model = with_context(request.origin + ": problem.lattice",
                             [&] { return ci::spin_model(sites, named.lattice.terms); });
  named.filling = {.sites = sites};
  named.twice_spin = wanted_spin(request, named.model, sites, base::concat(sites, " spins"));
  if (named.model.keeps_projection()) {
    const int ms2 = projection(request, named.twice_spin, sites, " spins");
    named.filling.up = (sites + ms2) / 2;
  } else if (request.ms2) {
    fail(ErrorKind::configuration, request.origin, ": problem.ms2 is ", *request.ms2,
         ", but the model does not conserve the spin projection; remove ms2");
  }
}

// Site states have all electrons of all sites: keys that restrict determinants would change the
// problem.
void require_whole_space(const Request& request) {
  const Request::Space whole;
  const Request::Space& space = request.space;
  const char* key = nullptr;
  if (space.kind != whole.kind) key = "kind";
  if (!space.electrons.empty()) key = "electrons";
  if (space.frozen != whole.frozen) key = "frozen";
  if (space.active != whole.active) key = "active";
  if (space.irrep != whole.irrep) key = "irrep";
  if (key != nullptr)
    fail(ErrorKind::configuration, request.origin, ": space.", key, " is given, but ",
         "space.symmetry selects among all states of the lattice; expected only one of them, and "
         "the ",
         "number of electrons as problem.electrons");
}

void take_electrons(const Request& request, NamedSpins& named) {
  const int sites = named.lattice.sites;
  require_electron_terms(request, named.lattice);
  require_whole_space(request);
  named.model = with_context(request.origin + ": problem.lattice.bonds",
                             [&] { return ci::electron_model(sites, named.lattice.terms); });
  const auto electrons = static_cast<int>(request.electrons.value_or(sites));
  named.twice_spin = wanted_spin(request, named.model, std::min(electrons, 2 * sites - electrons),
                                 base::concat(electrons, " electrons on ", sites, " sites"));
  const int ms2 = projection(request, named.twice_spin, electrons, " electrons");
  named.filling = {.sites = sites,
                   .up = (electrons + ms2) / 2,
                   .down = (electrons - ms2) / 2,
                   .allows_double_occupancy = !is_single_occupied(request)};
}

std::optional<ci::SymmetrySector> chosen_sector(const Request& request, const NamedSpins& named) {
  const ci::WantedSymmetry& wanted = request.space.symmetry;
  if (wanted.is_any()) return std::nullopt;
  const auto& shape = named.lattice.shape;
  return with_context(request.origin, [&] {
    return ci::lattice_sector(named.model, shape ? &*shape : nullptr, wanted);
  });
}

ci::BasisStates words_of(const Request& request, const ci::ParticleNumbers& filling) {
  try {
    return ci::BasisStates(filling);
  } catch (const base::Error& error) {  // the states may be too many to be numbered
    fail(error.kind(), request.origin, ": problem.lattice: ", error.what());
  }
}

NamedSpins named_spins(const Request& request) {
  NamedSpins named{lattice_problem(request)};
  if (request.lattice.model == LatticeModel::heisenberg)
    take_spins(request, named);
  else
    take_electrons(request, named);
  const ci::BasisStates words = words_of(request, named.filling);
  named.sector = chosen_sector(request, named);
  named.states = named.sector ? ci::sector_dimension(*named.sector, named.filling)
                              : static_cast<double>(words.count());
  if (named.states < 1)
    fail(ErrorKind::configuration, request.origin,
         ": space.symmetry: no state has this momentum and ",
         "these parities; expected others, or another problem.ms2");
  const std::optional<int> spin = named.twice_spin;
  if (spin && ci::spin_dimension(named.filling, named.sector, *spin) < 1)
    fail(ErrorKind::configuration, request.origin, ": space.spin: no state with the total spin ",
         *request.space.spin, " has the projection ms2 = ", named.filling.ms2(),
         named.sector ? " and this symmetry" : "", "; expected another spin, ms2 of at most twice ",
         "the spin, or another space.symmetry");
  return named;
}

// Does not wait for a device if the host finishes before it starts.
ci::SymmetryAdaptedBasis found_orbits(const NamedSpins& named, const base::Backend& backend,
                                      const FeasibilityCheck* feasibility, std::string& fallback) {
  constexpr Index kManyWords = Index{1} << 23;
  const ci::BasisStates words(named.filling);
  const auto on = [&](const base::Backend& place) {
    return ci::SymmetryAdaptedBasis(words, named.sector, place);
  };
  if (!named.sector || words.count() < kManyWords) return on(backend.host());
  std::optional<ci::SymmetryAdaptedBasis> found;
  fallback = run_catching_shortage(MemoryOf::device, [&] {
    found.emplace(on(feasibility == nullptr ? backend : feasibility->backend()));
  });
  return found ? *std::move(found) : on(backend.host());
}

SiteProblem open_spins(const Request& request, const base::Backend& backend,
                       FeasibilityCheck* feasibility) {
  NamedSpins named = named_spins(request);
  if (feasibility != nullptr) feasibility->require_spins(named.states);
  std::string fallback;
  ci::SymmetryAdaptedBasis basis = found_orbits(named, backend, feasibility, fallback);
  return {std::move(named.lattice), std::move(named.model), std::move(basis), named.twice_spin,
          std::move(fallback)};
}

}  // namespace

void require_possible_spins(const Request& request) { named_spins(request); }

SiteProblemRows::SiteProblemRows(const Request& request, const base::Backend& backend,
                                 FeasibilityCheck* feasibility)
    : problem_(open_spins(request, backend, feasibility)), rows_(problem_.basis, problem_.model) {}

}  // namespace cisolve::job
