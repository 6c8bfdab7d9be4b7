#include "job/problem/spin_problem.hpp"

#include "base/error.hpp"
#include "ci/spins/spin_symmetry.hpp"
#include "ci/spins/spin_target.hpp"

namespace cisolve::job {
namespace {

using base::fail;
using base::Fault;

std::optional<ci::Parity> parity(const std::string& word) {
  if (word == "any") return std::nullopt;
  return word == "even" ? ci::Parity::even : ci::Parity::odd;
}

ci::WantedSymmetry wanted_symmetry(const Request::Space::Symmetry& symmetry) {
  return {.momentum = symmetry.momentum,
          .inversion = parity(symmetry.inversion),
          .columns = parity(symmetry.columns),
          .rows = parity(symmetry.rows),
          .layers = parity(symmetry.layers),
          .exchange = parity(symmetry.exchange),
          .rotation = parity(symmetry.rotation),
          .spin = parity(symmetry.spin)};
}

/// Twice the total spin that all states have, if one is asked for.
std::optional<int> wanted_spin(const Request& request, const ci::SpinModel& model) {
  const std::optional<int> twice = twice_spin(request);
  if (!twice) return std::nullopt;
  if (!model.keeps_spin())
    fail(Fault::configuration, request.origin, ": space.spin is given, but the model does not ",
         "keep the total spin; expected couplings that are alike in x, y and z and no field, or ",
         "spin: any");
  if (request.elements.threshold > 0)
    fail(Fault::configuration, request.origin, ": space.spin and storage.threshold are ",
         "given, but a matrix without its small elements has no total spin; expected one of them");
  if ((model.sites - *twice) % 2 != 0 || *twice > model.sites)
    fail(Fault::configuration, request.origin, ": space.spin is ", request.space.spin, ", but ",
         model.sites, " spins have a total of ", model.sites % 2 == 0 ? "0, 1" : "0.5, 1.5",
         " and so on up to ", 0.5 * model.sites, "; expected one of these, or spin: any");
  return twice;
}

/// Twice the projection: where it is not given, the least that there is, or the largest that states
/// of a total spin have, for these are then fewest.
Index projection(const Request& request, const ci::SpinModel& model) {
  const std::optional<int> spin = wanted_spin(request, model);
  const bool flips = request.space.symmetry.spin != "any";
  return request.ms2.value_or(spin && !flips ? *spin : model.sites % 2);
}

/// How many spins are up; none where the model does not keep that.
std::optional<int> spins_up(const Request& request, const ci::SpinModel& model) {
  if (!model.keeps_projection()) {
    if (request.ms2)
      fail(Fault::configuration, request.origin, ": problem.ms2 is ", *request.ms2,
           ", but the model does not keep the spin projection; expected no ms2");
    return std::nullopt;
  }
  const Index ms2 = projection(request, model);
  if ((model.sites + ms2) % 2 != 0 || std::abs(ms2) > model.sites)
    fail(Fault::configuration, request.origin, ": ", model.sites, " spins cannot have ms2 = ", ms2,
         "; expected both even or both odd, and ms2 no more than the spins");
  return static_cast<int>((model.sites + ms2) / 2);
}

std::optional<ci::SpinSector> chosen_sector(const Request& request, const LatticeProblem& lattice,
                                            const ci::SpinModel& model) {
  const ci::WantedSymmetry wanted = wanted_symmetry(request.space.symmetry);
  if (wanted.is_any()) return std::nullopt;
  if (wanted.spin && model.keeps_projection() && projection(request, model) != 0)
    fail(Fault::configuration, request.origin,
         ": space.symmetry.spin of states with ms2 = ", projection(request, model),
         "; expected 'spin: any', or as many spins up as down");
  try {
    return ci::spin_sector(model, lattice.shape ? &*lattice.shape : nullptr, wanted);
  } catch (const base::Error& error) {
    fail(error.fault(), request.origin, ": ", error.what());
  }
}

/// What a request names, before orbits are looked for.
struct NamedSpins {
  LatticeProblem lattice;
  ci::SpinModel model;
  ci::SpinWords words;
  std::optional<ci::SpinSector> sector;
  std::optional<int> twice_spin;

  double states() const {
    return sector ? ci::sector_dimension(*sector, words.up()) : static_cast<double>(words.count());
  }
};

NamedSpins named_spins(const Request& request) {
  LatticeProblem lattice = lattice_problem(request);
  ci::SpinModel model = ci::spin_model(lattice.sites, lattice.terms);
  ci::SpinWords words(lattice.sites, spins_up(request, model));
  std::optional<ci::SpinSector> sector = chosen_sector(request, lattice, model);
  const std::optional<int> spin = wanted_spin(request, model);
  NamedSpins named{std::move(lattice), std::move(model), std::move(words), std::move(sector), spin};
  if (named.states() < 1)
    fail(Fault::configuration, request.origin, ": space.symmetry: no state has this momentum and ",
         "these parities; expected others, or another problem.ms2");
  if (spin && ci::spin_dimension(named.words, named.sector, *spin) < 1)
    fail(Fault::configuration, request.origin, ": space.spin: no state with the total spin ",
         request.space.spin,
         " has the projection ms2 = ", 2 * *named.words.up() - named.model.sites,
         named.sector ? " and this symmetry" : "", "; expected another spin, ms2 of at most twice ",
         "the spin, or another space.symmetry");
  return named;
}

// A device is not waited for where the host is done before it starts.
ci::SpinBasis found_orbits(const NamedSpins& named, const base::Backend& backend,
                           const Admission* admission, std::string& fallback) {
  constexpr Index kManyWords = Index{1} << 23;
  const auto on = [&](const base::Backend& place) {
    return ci::SpinBasis(named.words, named.sector, place);
  };
  if (!named.sector || named.words.count() < kManyWords) return on(backend.host());
  try {
    return on(admission == nullptr ? backend : admission->backend());
  } catch (const base::DeviceMemoryError& error) {
    fallback = error.what();
    return on(backend.host());
  }
}

SpinProblem open_spins(const Request& request, const base::Backend& backend, Admission* admission) {
  NamedSpins named = named_spins(request);
  if (admission != nullptr) admission->require_spins(named.states());
  std::string fallback;
  ci::SpinBasis basis = found_orbits(named, backend, admission, fallback);
  return {std::move(named.lattice), std::move(named.model), std::move(basis), named.twice_spin,
          std::move(fallback)};
}

}  // namespace

void require_possible_spins(const Request& request) { named_spins(request); }

SpinProblemRows::SpinProblemRows(const Request& request, const base::Backend& backend,
                                 Admission* admission)
    : problem_(open_spins(request, backend, admission)), rows_(problem_.basis, problem_.model) {}

}  // namespace cisolve::job
