#include "ci/lattice/spins/correlation_functions.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/loops.hpp"
#include "ci/lattice/spins/site_model_rows.hpp"
#include "ci/lattice/spins/site_row_walk.hpp"

namespace cisolve::ci {
namespace {

struct SitePair {
  int a;
  int b;
};

/// Symmetry-equivalent pairs of sites; single sites as (a, a).
using AlikePairs = std::vector<SitePair>;

std::vector<AlikePairs> alike_pairs(const SymmetryAdaptedBasis& basis) {
  const int sites = basis.words().filling().sites;
  std::vector<AlikePairs> all;
  std::map<std::pair<int, int>, bool> taken;
  const auto take = [&](int a, int b, AlikePairs& alike) {
    bool& known = taken[std::minmax(a, b)];
    if (!known) alike.push_back({a, b});
    known = true;
  };
  for (int a = 0; a < sites; ++a)
    for (int b = a; b < sites; ++b) {
      if (taken[{a, b}]) continue;
      AlikePairs alike;
      take(a, b, alike);
      if (basis.sector())
        for (const auto& [operation, matrix] : basis.sector()->operations)
          take(operation.to[a] % sites, operation.to[b] % sites, alike);
      all.push_back(std::move(alike));
    }
  return all;
}

bool has_flips(const SymmetryAdaptedBasis& basis) {
  return basis.sector() &&
         std::ranges::any_of(basis.sector()->operations,
                             [](const SectorOperation& o) { return o.operation.flips; });
}

/// An expectation value of pairs and the member that stores it.
struct Measured {
  TermKind kind;
  double strength;  // scales the term to the stored quantity
  std::vector<double> CorrelationFunctions::*kept;
};

std::vector<Measured> measured(const SymmetryAdaptedBasis& basis, const AlikePairs& alike) {
  using C = CorrelationFunctions;
  const bool on_one_site = alike.front().a == alike.front().b;
  if (!basis.words().filling().holds_electrons()) {
    if (!on_one_site) return {{TermKind::couple_z, 1, &C::zz}, {TermKind::couple, 1, &C::dot}};
    if (has_flips(basis)) return {};  // the average of up and down vanishes
    return {{TermKind::field, 1, &C::z}};
  }
  // charge holds the double occupancy here; final values on a site follow from both.
  if (on_one_site)
    return {{TermKind::energy, 1, &C::number}, {TermKind::repel_on_site, 1, &C::charge}};
  return {{TermKind::repel, 1, &C::charge},
          {TermKind::couple, 1, &C::dot},
          {TermKind::hop, -1, &C::hop}};
}

/// The average over equivalent pairs as one model.
SiteModel mean_of(const ParticleNumbers& filling, const Measured& what, const AlikePairs& alike) {
  std::vector<Term> terms;
  for (const auto& [a, b] : alike)
    terms.push_back({what.kind, a, b, what.strength / static_cast<double>(alike.size())});
  return model_of(filling, terms);
}

/// <x|A|x> of each model for each state.
std::vector<std::vector<double>> means_on_host(const SymmetryAdaptedBasis& basis,
                                               std::span<const SiteModel> models,
                                               base::ConstBlock x) {
  constexpr Index kParts = 256;
  constexpr Index kLeast = 1024;
  const Index rows = basis.dimension();
  const Index grain = std::max(kLeast, (rows + kParts - 1) / kParts);
  const std::size_t values = models.size() * static_cast<std::size_t>(x.columns);
  std::vector<double> parts((rows + grain - 1) / grain * values);
  base::for_each_chunk(rows, grain, basis.host(), [&](Index first, Index last) {
    double* const part = parts.data() + first / grain * values;
    SiteRowWalk walk(basis, first);
    for (Index row = first; row < last; ++row, walk.next())
      for (std::size_t i = 0; i < models.size(); ++i)
        visit_elements(walk, models[i], [&](Index column, double value) {
          for (int j = 0; j < x.columns; ++j)
            part[j * models.size() + i] += x(row, j) * value * x(column, j);
        });
  });
  std::vector<std::vector<double>> means(x.columns, std::vector<double>(models.size()));
  for (std::size_t k = 0; k < parts.size(); ++k)
    means[k % values / models.size()][k % models.size()] += parts[k];
  return means;
}

/// Scatters the means of one state, in the order of the models, to its members.
CorrelationFunctions means_of_members(const SymmetryAdaptedBasis& basis,
                                      const std::vector<AlikePairs>& all,
                                      const std::vector<double>& means) {
  const bool has_charge = basis.words().filling().holds_electrons();
  CorrelationFunctions found{.sites = basis.words().filling().sites};
  const auto sites = static_cast<std::size_t>(found.sites);
  for (auto* of_sites : {&found.z, &found.number}) of_sites->resize(sites);
  found.dot.resize(sites * sites);
  if (has_charge)
    for (auto* of_pairs : {&found.charge, &found.hop}) of_pairs->resize(sites * sites);
  else
    found.zz.resize(sites * sites);
  auto mean = means.begin();
  for (const AlikePairs& alike : all) {
    for (const auto& [kind, strength, kept] : measured(basis, alike)) {
      std::vector<double>& values = found.*kept;
      for (const auto& [a, b] : alike)
        if (values.size() == sites)
          values[a] = *mean;
        else
          values[a * sites + b] = values[b * sites + a] = *mean;
      ++mean;
    }
  }
  for (std::size_t a = 0; a < sites; ++a) {
    const std::size_t aa = a * (sites + 1);
    if (!has_charge) {
      found.number[a] = 1;
      found.zz[aa] = 0.25;
      found.dot[aa] = 0.75;
      continue;
    }
    const double both = found.charge[aa];
    found.charge[aa] = found.number[a] + 2 * both;
    found.hop[aa] = found.number[a];
    found.dot[aa] = 0.75 * (found.number[a] - 2 * both);
  }
  return found;
}

}  // namespace

double CorrelationFunctions::s2() const { return std::accumulate(dot.begin(), dot.end(), 0.0); }

std::optional<double> CorrelationFunctions::mean(const Term& term) const {
  if (term.kind == TermKind::couple) return term.strength * at(dot, term);
  const bool has_charge = !charge.empty();
  return has_charge ? mean_of_electrons(term) : mean_of_spins(term);
}

std::optional<double> CorrelationFunctions::mean_of_spins(const Term& term) const {
  switch (term.kind) {
    case TermKind::couple_z: return term.strength * at(zz, term);
    case TermKind::couple_xy: return term.strength * (at(dot, term) - at(zz, term));
    case TermKind::field: return term.strength * z[term.first];
    default: return std::nullopt;
  }
}

std::optional<double> CorrelationFunctions::mean_of_electrons(const Term& term) const {
  switch (term.kind) {
    case TermKind::hop: return -term.strength * at(hop, term);
    case TermKind::repel: return term.strength * at(charge, term);
    case TermKind::repel_on_site:
      return term.strength * (at(charge, term) - number[term.first]) / 2;
    case TermKind::energy: return term.strength * number[term.first];
    default: return std::nullopt;
  }
}

double correlation_work(const SymmetryAdaptedBasis& basis) {
  const ParticleNumbers& filling = basis.words().filling();
  const double pairs = 0.5 * filling.sites * filling.sites;
  const double of_each = filling.holds_electrons() ? 3 : 1;  // electrons: two hops and an exchange
  const double group =
      basis.sector() ? static_cast<double>(basis.sector()->operations.size()) : 1.0;
  return static_cast<double>(basis.dimension()) * pairs * of_each * group;
}

std::vector<CorrelationFunctions> correlation_functions(const SymmetryAdaptedBasis& basis,
                                                        base::ConstBlock x,
                                                        const base::Backend& backend) {
  const ParticleNumbers& filling = basis.words().filling();
  const std::vector<AlikePairs> all = alike_pairs(basis);
  std::vector<SiteModel> models;
  for (const AlikePairs& alike : all)
    for (const Measured& what : measured(basis, alike))
      models.push_back(mean_of(filling, what, alike));
  constexpr int kStatesAtOnce = 8;  // limits their partial sums, which no budget counts
  std::vector<CorrelationFunctions> found;
  for (int first = 0; first < x.columns; first += kStatesAtOnce) {
    const base::ConstBlock some = x.slice(first, std::min(kStatesAtOnce, x.columns - first));
    const auto means = backend.is_host()
                           ? means_on_host(basis, models, some)
                           : cuda::site_expectation_values(basis, models, some, backend);
    for (const std::vector<double>& of_state : means)
      found.push_back(means_of_members(basis, all, of_state));
  }
  return found;
}

}  // namespace cisolve::ci
