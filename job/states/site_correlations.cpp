#include "job/states/site_correlations.hpp"

#include <cmath>
#include <numbers>

namespace cisolve::job {
namespace {

/// visit(momentum, angles) for all momenta of the periodic directions.
template <class Visit>
void for_each_momentum(const ci::LatticeShape& shape, Visit visit) {
  std::array<int, 3> most{1, 1, 1};
  for (int d = 0; d < 3; ++d)
    if (shape.periodic()[d]) most[d] = shape.extents()[d];
  for (int z = 0; z < most[2]; ++z)
    for (int y = 0; y < most[1]; ++y)
      for (int x = 0; x < most[0]; ++x) {
        const std::array<int, 3> at{x, y, z};
        std::vector<Index> momentum;
        std::array<double, 3> angles{};
        for (int d = 0; d < 3; ++d) {
          if (!shape.periodic()[d]) continue;
          momentum.push_back(at[d]);
          angles[d] = 2 * std::numbers::pi * at[d] / shape.extents()[d];
        }
        visit(momentum, angles);
      }
}

double factor_of(const LatticeProblem& lattice, const std::array<double, 3>& angles,
                 const std::vector<double>& of_pairs) {
  std::vector<double> phases(lattice.sites);
  for (int a = 0; a < lattice.sites; ++a) {
    const ci::Place place = ci::place_of(*lattice.shape, a);
    for (int d = 0; d < 3; ++d) phases[a] += angles[d] * place[d];
  }
  double sum = 0;
  for (int a = 0; a < lattice.sites; ++a)
    for (int b = 0; b < lattice.sites; ++b)
      sum += std::cos(phases[b] - phases[a]) * of_pairs[a * lattice.sites + b];
  return sum / lattice.sites;
}

void add_shape(const LatticeProblem& lattice, SiteCorrelations& found) {
  if (!lattice.shape) return;
  const auto bonds = ci::bonds(*lattice.shape);
  for (const auto& [a, b] : bonds)
    found.neighbours += found.spin[a * lattice.sites + b] / static_cast<double>(bonds.size());
  const auto& periodic = lattice.shape->periodic();
  if (!periodic[0] && !periodic[1] && !periodic[2]) return;
  for_each_momentum(*lattice.shape, [&](auto momentum, const auto& angles) {
    StructureFactor factor{std::move(momentum), factor_of(lattice, angles, found.spin), 0};
    if (!found.charge.empty()) factor.charge = factor_of(lattice, angles, found.charge);
    found.factors.push_back(std::move(factor));
  });
}

}  // namespace

SiteCorrelations site_correlations(const LatticeProblem& lattice,
                                   const ci::CorrelationFunctions& correlations) {
  SiteCorrelations found{.sites = lattice.sites,
                         .spin = correlations.dot,
                         .spin_z = correlations.zz,
                         .charge = correlations.charge,
                         .up = correlations.charge.empty() ? correlations.z : correlations.number,
                         .factors = {}};
  add_shape(lattice, found);
  return found;
}

SiteCorrelations site_correlations(const LatticeProblem& lattice, const ci::OneParticleDensity& one,
                                   const ci::TwoParticleDensity& two) {
  const int n = lattice.sites;
  const std::size_t pairs = static_cast<std::size_t>(n) * n;
  SiteCorrelations found{.sites = n,
                         .spin = std::vector<double>(pairs),
                         .spin_z = {},
                         .charge = std::vector<double>(pairs),
                         .up = std::vector<double>(n),
                         .factors = {}};
  const auto electrons = [&](int a) {
    return one(ci::Spin::alpha, a, a) + one(ci::Spin::beta, a, a);
  };
  for (int a = 0; a < n; ++a) {
    found.up[a] = electrons(a);
    for (int b = 0; b < n; ++b) {
      // The density has two creators before two annihilators: on one site n is added.
      const double both = two.spin_free(a, a, b, b);
      found.charge[a * n + b] = both + (a == b ? electrons(a) : 0);
      // On one site, 3/4 of the probability of a single electron.
      found.spin[a * n + b] =
          a == b ? 0.75 * (electrons(a) - both) : -0.5 * (two.spin_free(a, b, b, a) + both / 2);
    }
  }
  add_shape(lattice, found);
  return found;
}

}  // namespace cisolve::job
