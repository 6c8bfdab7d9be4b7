#include "job/states/leading_configurations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "ci/fock/integrals/same_orbitals.hpp"
#include "ci/properties/weights.hpp"

namespace cisolve::job {
namespace {

constexpr double kSameEnergy = 1e-6;         // difference of equal orbital energies, in Hartree
constexpr Index kDeterminantsLookedAt = 16;  // determinants read for each wanted configuration
constexpr Index kReferenceCandidates = 64;   // determinants compared for the reference
constexpr double kSameWeight = 1e-6;         // relative difference of equal weights or coefficients
constexpr int kMostOpenShells = 62;          // enumerated as bits of a word

/// <p| F |p> of one spin for a determinant.
double fock_diagonal(const ci::Integrals& integrals, const ci::Determinant& determinant,
                     ci::Spin spin, int p) {
  double energy = integrals.one(spin, p, p);
  for (const ci::Spin of : {ci::Spin::alpha, ci::Spin::beta})
    determinant[of].for_each([&](int q) {
      energy += integrals.two(spin, p, p, of, q, q);
      if (of == spin) energy -= integrals.two(spin, p, q, of, p, q);
    });
  return energy;
}

/// Orbitals by rising energy; within a run of equal energies by their numbers.
std::vector<int> by_energy(const std::vector<double>& energies) {
  std::vector<int> order(energies.size());
  std::iota(order.begin(), order.end(), 0);
  const auto energy = [&](int p) { return energies[static_cast<std::size_t>(p)]; };
  std::ranges::stable_sort(order, {}, energy);
  auto first = order.begin();
  for (auto next = first; first != order.end(); first = next) {
    next = first + 1;
    while (next != order.end() && energy(*next) - energy(*(next - 1)) < kSameEnergy) ++next;
    std::sort(first, next);
  }
  return order;
}

/// "HOMO-2" for rank 2, "HOMO" for rank 0.
std::string numbered_name(const char* name, char sign, std::ptrdiff_t rank, const char* suffix) {
  return rank == 0 ? base::concat(name, suffix) : base::concat(name, sign, rank, suffix);
}

/// The orbitals, divided by their occupation, each list by rising energy.
struct Shells {
  std::vector<int> doubly = {};
  std::vector<int> singly = {};
  std::vector<int> empty = {};
};

void name_shells(const Shells& shells, const char* suffix,
                 std::vector<OrbitalNames::Orbital>& orbitals) {
  const auto orbital = [&](int p) -> auto& { return orbitals[static_cast<std::size_t>(p)]; };
  const std::ptrdiff_t closed = std::ssize(shells.doubly);
  for (std::ptrdiff_t k = 0; k < closed; ++k) {
    const std::ptrdiff_t rank = closed - 1 - k;
    orbital(shells.doubly[static_cast<std::size_t>(k)]).name =
        numbered_name("HOMO", '-', rank, suffix);
    orbital(shells.doubly[static_cast<std::size_t>(k)]).rank = static_cast<int>(rank);
  }
  const std::ptrdiff_t open = std::ssize(shells.singly);
  for (std::ptrdiff_t k = 0; k < open; ++k) {
    auto& found = orbital(shells.singly[static_cast<std::size_t>(k)]);
    found.name = open == 1 ? std::string("SOMO") : base::concat("SOMO", k + 1);
    found.rank = static_cast<int>(k - open);  // comes before all others
  }
  for (std::ptrdiff_t k = 0; k < std::ssize(shells.empty); ++k) {
    auto& found = orbital(shells.empty[static_cast<std::size_t>(k)]);
    found.name = numbered_name("LUMO", '+', k, suffix);
    found.rank = static_cast<int>(k);
  }
}

/// The orbitals that electrons leave or enter, by rank; one that two electrons leave or enter
/// occurs twice.
std::vector<const OrbitalNames::Orbital*> named_orbitals(const ci::String& alpha,
                                                         const ci::String& beta,
                                                         const OrbitalNames& names) {
  std::vector<const OrbitalNames::Orbital*> found;
  alpha.for_each([&](int p) {
    found.push_back(&names.orbitals(ci::Spin::alpha)[static_cast<std::size_t>(p)]);
  });
  beta.for_each([&](int p) {
    found.push_back(&names.orbitals(ci::Spin::beta)[static_cast<std::size_t>(p)]);
  });
  std::ranges::stable_sort(found, {}, [](const auto* one) { return one->rank; });
  return found;
}

std::string joined_names(const std::vector<const OrbitalNames::Orbital*>& orbitals) {
  std::string text;
  for (const OrbitalNames::Orbital* one : orbitals) text += (text.empty() ? "" : ",") + one->name;
  return text;
}

/// The occupation of the orbitals by both spins together.
struct Occupation {
  ci::String closed;
  ci::String open;
  friend bool operator==(const Occupation&, const Occupation&) = default;
};

Occupation occupation_of(const ci::Determinant& determinant) {
  const ci::String both = determinant.alpha & determinant.beta;
  return {both, (determinant.alpha | determinant.beta) - both};
}

/// Sums the weight over all rows, if the couplings cannot be enumerated or outnumber the rows, as
/// in short lists.
double weight_by_rows(const ci::Space& space, const Occupation& occupation, const double* x) {
  const auto betas = space.strings(ci::Spin::beta);
  double weight = 0;
  Index row = 0;
  Index a = 0;
  for (const ci::String& alpha : space.strings(ci::Spin::alpha)) {
    const bool may_be = (occupation.closed - alpha).empty() &&
                        (alpha - (occupation.closed | occupation.open)).empty();
    const ci::String wanted = occupation.closed | (occupation.open - alpha);
    for (const ci::StringNumber b : space.betas_of(a)) {
      if (may_be && betas[static_cast<std::size_t>(b)] == wanted) weight += x[row] * x[row];
      ++row;
    }
    ++a;
  }
  return weight;
}

/// Sums the weight over all ways to give the open shells to the spins.
double weight_by_couplings(const ci::Space& space, const Occupation& occupation, const double* x) {
  const std::vector<int> open = occupation.open.orbitals();
  const int alphas = space.electrons(ci::Spin::alpha) - occupation.closed.count();
  const std::uint64_t end = std::uint64_t{1} << open.size();
  double weight = 0;
  std::uint64_t chosen = (std::uint64_t{1} << alphas) - 1;
  while (chosen < end) {
    ci::Determinant determinant{occupation.closed, occupation.closed};
    for (std::size_t k = 0; k < open.size(); ++k) {
      const bool is_alpha = (chosen >> k & 1) != 0;
      ci::String& string = is_alpha ? determinant.alpha : determinant.beta;
      string = string.with(open[k]);
    }
    if (const auto row = space.row_of(determinant)) weight += x[*row] * x[*row];
    if (chosen == 0) break;
    const std::uint64_t lowest = chosen & (~chosen + 1);  // the next number of as many bits
    const std::uint64_t carried = chosen + lowest;
    chosen = carried | (((carried ^ chosen) / lowest) >> 2);
  }
  return weight;
}

double weight_of_occupation(const ci::Space& space, const Occupation& occupation, const double* x) {
  const int open = occupation.open.count();
  const int alphas = space.electrons(ci::Spin::alpha) - occupation.closed.count();
  double couplings = 1;
  for (int k = 0; k < alphas; ++k) couplings *= static_cast<double>(open - k) / (k + 1);
  const bool are_few =
      open <= kMostOpenShells && couplings <= static_cast<double>(space.dimension());
  return are_few ? weight_by_couplings(space, occupation, x) : weight_by_rows(space, occupation, x);
}

}  // namespace

OrbitalNames::OrbitalNames(const DeterminantProblem& molecule, const ci::Determinant& reference)
    : reference_(reference), by_spin_(!ci::have_same_orbitals(molecule.integrals)) {
  if (by_spin_) {
    name_spin(molecule, ci::Spin::alpha);
    name_spin(molecule, ci::Spin::beta);
  } else {
    name_shared(molecule);
  }
}

void OrbitalNames::name_shared(const DeterminantProblem& molecule) {
  std::vector<double> energies;
  for (int p = 0; p < molecule.integrals.orbitals(); ++p)
    energies.push_back((fock_diagonal(molecule.integrals, reference_, ci::Spin::alpha, p) +
                        fock_diagonal(molecule.integrals, reference_, ci::Spin::beta, p)) /
                       2);
  std::vector<Orbital>& orbitals = orbitals_[0];
  for (std::size_t p = 0; p < energies.size(); ++p)
    orbitals.push_back({molecule.window.active[p] + 1, energies[p], {}, 0});
  Shells shells;
  for (const int p : by_energy(energies)) {
    const int electrons = (reference_.alpha.has(p) ? 1 : 0) + (reference_.beta.has(p) ? 1 : 0);
    (electrons == 2 ? shells.doubly : electrons == 1 ? shells.singly : shells.empty).push_back(p);
  }
  name_shells(shells, "", orbitals);
}

void OrbitalNames::name_spin(const DeterminantProblem& molecule, ci::Spin spin) {
  std::vector<double> energies;
  for (int p = 0; p < molecule.integrals.orbitals(); ++p)
    energies.push_back(fock_diagonal(molecule.integrals, reference_, spin, p));
  std::vector<Orbital>& orbitals = orbitals_[static_cast<std::size_t>(spin)];
  for (std::size_t p = 0; p < energies.size(); ++p)
    orbitals.push_back({molecule.window.active[p] + 1, energies[p], {}, 0});
  Shells shells;
  for (const int p : by_energy(energies))
    (reference_[spin].has(p) ? shells.doubly : shells.empty).push_back(p);
  name_shells(shells, spin == ci::Spin::alpha ? "(a)" : "(b)", orbitals);
}

LeadingConfiguration OrbitalNames::describe(const ci::Determinant& determinant) const {
  ci::String alpha_from = reference_.alpha - determinant.alpha;
  ci::String beta_from = reference_.beta - determinant.beta;
  ci::String alpha_to = determinant.alpha - reference_.alpha;
  ci::String beta_to = determinant.beta - reference_.beta;
  if (!by_spin_) {  // an electron that changes only its spin has not moved
    const auto cancel = [](ci::String& lost, ci::String& gained) {
      const ci::String both = lost & gained;
      lost = lost - both;
      gained = gained - both;
    };
    cancel(alpha_from, beta_to);
    cancel(beta_from, alpha_to);
  }
  const auto from = named_orbitals(alpha_from, beta_from, *this);
  const auto to = named_orbitals(alpha_to, beta_to, *this);
  LeadingConfiguration found;
  if (from.empty()) return found;
  found.excitation = joined_names(from) + " -> " + joined_names(to);
  for (const Orbital* one : from) found.from.push_back(one->number);
  for (const Orbital* one : to) found.to.push_back(one->number);
  return found;
}

std::optional<OrbitalNames> orbital_names(const DeterminantProblem& molecule, const double* x) {
  if (molecule.has_sites) return std::nullopt;
  const auto size = static_cast<std::size_t>(molecule.space.dimension());
  const std::vector<Index> leading =
      ci::dominant_rows({x, size}, kReferenceCandidates, molecule.space.host());
  Index first = leading.front();  // first of those that only rounding tells apart
  for (const Index row : leading)
    if (std::abs(x[leading.front()]) - std::abs(x[row]) < kSameWeight) first = std::min(first, row);
  return OrbitalNames(molecule, molecule.space.determinant(first));
}

namespace {

/// Sorts by falling weight. Equal weights: by the number of moved electrons, then by the text of
/// the excitation.
void sort_configurations(std::vector<LeadingConfiguration>& all) {
  std::ranges::stable_sort(all, std::ranges::greater(), &LeadingConfiguration::weight);
  auto first = all.begin();
  for (auto next = first; first != all.end(); first = next) {
    next = first + 1;
    while (next != all.end() && (next - 1)->weight - next->weight < kSameWeight) ++next;
    std::stable_sort(first, next, [](const auto& a, const auto& b) {
      return std::pair(a.from.size(), a.excitation) < std::pair(b.from.size(), b.excitation);
    });
  }
}

}  // namespace

std::vector<LeadingConfiguration> leading_configurations(const DeterminantProblem& molecule,
                                                         const OrbitalNames& names, const double* x,
                                                         Index count) {
  const ci::Space& space = molecule.space;
  const auto size = static_cast<std::size_t>(space.dimension());
  std::vector<LeadingConfiguration> found;
  std::vector<Occupation> seen;
  for (const Index row :
       ci::dominant_rows({x, size}, count * kDeterminantsLookedAt, space.host())) {
    const ci::Determinant determinant = space.determinant(row);
    LeadingConfiguration configuration = names.describe(determinant);
    configuration.weight = x[row] * x[row];
    if (!names.by_spin()) {
      const Occupation occupation = occupation_of(determinant);
      if (std::ranges::find(seen, occupation) != seen.end()) continue;
      seen.push_back(occupation);
      configuration.weight = weight_of_occupation(space, occupation, x);
    }
    found.push_back(std::move(configuration));
  }
  sort_configurations(found);
  if (std::ssize(found) > count) found.resize(static_cast<std::size_t>(count));
  return found;
}

ConfigurationReference configuration_reference(const DeterminantProblem& molecule,
                                               const OrbitalNames& names) {
  const auto whole = ci::whole_determinant(molecule.window, names.reference());
  ConfigurationReference found{ci::to_text(whole.determinant, molecule.orbitals)};
  const auto& orbitals = names.orbitals(ci::Spin::alpha);
  std::vector<double> energies;
  for (const OrbitalNames::Orbital& one : orbitals) energies.push_back(one.energy);
  for (const int p : by_energy(energies)) {
    const OrbitalNames::Orbital& one = orbitals[static_cast<std::size_t>(p)];
    found.orbitals.push_back(one.number);
    found.energies.push_back(one.energy);
    found.names.push_back(one.name);
  }
  return found;
}

}  // namespace cisolve::job
