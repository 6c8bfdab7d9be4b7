#include "job/states/orbitals_in_basis.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "job/states/properties.hpp"
#include "solver/vectors/small_eigen.hpp"

namespace cisolve::job {
namespace {

using base::SmallMatrix;
using ci::Spin;

constexpr std::array kSpins = {Spin::alpha, Spin::beta};
constexpr double kUnoccupied = 1e-9;
constexpr double kDependent = 1e-10;  // of the largest eigenvalue of the overlap

std::size_t index_of_spin(Spin spin) { return static_cast<std::size_t>(spin); }

const ci::MolecularOrbitals& orbitals_of(const DeterminantProblem& problem) {
  return *problem.molecular_orbitals;
}

SmallMatrix transposed(const SmallMatrix& a) {
  SmallMatrix b(a.columns(), a.rows());
  for (int q = 0; q < a.columns(); ++q)
    for (int p = 0; p < a.rows(); ++p) b(q, p) = a(p, q);
  return b;
}

SmallMatrix joined(const std::vector<const SmallMatrix*>& blocks) {
  int columns = 0;
  for (const SmallMatrix* block : blocks) columns += block->columns();
  SmallMatrix all(blocks.front()->rows(), columns);
  auto next = all.values().begin();
  for (const SmallMatrix* block : blocks) next = std::ranges::copy(block->values(), next).out;
  return all;
}

/// Inactive, frozen and active orbitals of a spin.
SmallMatrix inner_orbitals(const DeterminantProblem& problem, Spin spin) {
  const ci::MolecularOrbitals& all = orbitals_of(problem);
  const SmallMatrix frozen = solver::columns_of(all.of(spin), problem.window.frozen);
  const SmallMatrix active = solver::columns_of(all.of(spin), problem.window.active);
  return joined({&all.inactive_of(spin), &frozen, &active});
}

/// The density matrix of a spin over inner_orbitals().
SmallMatrix inner_density(const DeterminantProblem& problem, const ci::OneParticleDensity& density,
                          Spin spin) {
  const SmallMatrix& active = density.spin[index_of_spin(spin)];
  const int full = orbitals_of(problem).inactive_of(spin).columns() +
                   static_cast<int>(problem.window.frozen.size());
  SmallMatrix whole(full + active.rows(), full + active.rows());
  for (int k = 0; k < full; ++k) whole(k, k) = 1;
  for (int p = 0; p < active.rows(); ++p)
    for (int q = 0; q < active.rows(); ++q) whole(full + p, full + q) = active(p, q);
  return whole;
}

/// Eigenvectors of a symmetric matrix, the largest eigenvalue first.
solver::EigenPairs falling_eigen(solver::EigenPairs pairs) {
  std::vector<int> order;
  for (int k = pairs.vectors.columns() - 1; k >= 0; --k) order.push_back(k);
  std::ranges::reverse(pairs.values);
  return {std::move(pairs.values), solver::columns_of(pairs.vectors, order)};
}

/// Orbitals of one spin that make its density times `sign`.
void append_density(const DeterminantProblem& problem, const ci::OneParticleDensity& density,
                    Spin spin, double sign, WeightedOrbitals& to) {
  const solver::EigenPairs pairs =
      falling_eigen(solver::symmetric_eigen(inner_density(problem, density, spin)));
  const SmallMatrix found = solver::product(inner_orbitals(problem, spin), pairs.vectors);
  to.coefficients = to.weights.empty() ? found : joined({&to.coefficients, &found});
  for (const double value : pairs.values) to.weights.push_back(sign * value);
}

/// Natural orbitals if alpha and beta orbitals differ: S D S c = n S c, without the directions in
/// which the functions depend on one another.
WeightedOrbitals natural_orbitals_of_two_spins(const DeterminantProblem& problem,
                                               const ci::OneParticleDensity& density) {
  const ci::MolecularOrbitals& all = orbitals_of(problem);
  auto [sum, beta] = density_in_basis(problem, density);
  for (std::size_t k = 0; k < sum.values().size(); ++k) sum.values()[k] += beta.values()[k];
  const solver::EigenPairs metric = falling_eigen(solver::symmetric_eigen(all.overlap));
  const int rank = static_cast<int>(std::ranges::count_if(
      metric.values, [&](double s) { return s > kDependent * metric.values.front(); }));
  SmallMatrix root = solver::columns_of(metric.vectors, 0, rank);  // S = root root^T
  SmallMatrix inverse = root;                                      // inverse^T S inverse = 1
  for (int k = 0; k < rank; ++k) {
    const double scale = std::sqrt(metric.values[static_cast<std::size_t>(k)]);
    for (int p = 0; p < root.rows(); ++p) {
      root(p, k) *= scale;
      inverse(p, k) /= scale;
    }
  }
  const SmallMatrix h = solver::product(transposed(root), solver::product(sum, root));
  const solver::EigenPairs pairs = falling_eigen(solver::symmetric_eigen(h));
  const auto occupied =
      std::ranges::count_if(pairs.values, [](double n) { return n > kUnoccupied; });
  const int count = std::max(static_cast<int>(occupied),
                             std::min(all.inactive.columns() + all.alpha.columns(), h.rows()));
  WeightedOrbitals found{
      .coefficients = solver::product(inverse, solver::columns_of(pairs.vectors, 0, count)),
      .weights = pairs.values};
  found.weights.resize(static_cast<std::size_t>(count));
  return found;
}

std::vector<int> dropped_orbitals(const DeterminantProblem& problem) {
  std::vector<int> dropped;
  for (int p = 0; p < problem.orbitals; ++p)
    if (!std::ranges::binary_search(problem.window.frozen, p) &&
        !std::ranges::binary_search(problem.window.active, p))
      dropped.push_back(p);
  return dropped;
}

/// sum_ij left_ki density_ij right_kj of each function k.
std::vector<double> function_populations(const SmallMatrix& left, const SmallMatrix& density,
                                         const SmallMatrix& right) {
  const SmallMatrix image = solver::product(left, density);
  std::vector<double> sums(static_cast<std::size_t>(left.rows()));
  for (int j = 0; j < image.columns(); ++j)
    for (int k = 0; k < image.rows(); ++k)
      sums[static_cast<std::size_t>(k)] += image(k, j) * right(k, j);
  return sums;
}

/// The square root of a positive matrix.
SmallMatrix square_root(const SmallMatrix& s) {
  const solver::EigenPairs pairs = solver::symmetric_eigen(s);
  SmallMatrix scaled = pairs.vectors;
  for (int k = 0; k < s.rows(); ++k) {
    const double root = std::sqrt(std::max(0.0, pairs.values[static_cast<std::size_t>(k)]));
    for (int p = 0; p < s.rows(); ++p) scaled(p, k) *= root;
  }
  return solver::product(scaled, transposed(pairs.vectors));
}

}  // namespace

ci::OneParticleDensity kept_density(const io::StoredDensities& kept, std::size_t state) {
  return density_of(kept.one_particle[state], static_cast<int>(kept.orbitals.size()));
}

SmallMatrix in_basis(const DeterminantProblem& problem, Spin spin, const SmallMatrix& over_active) {
  return solver::product(solver::columns_of(orbitals_of(problem).of(spin), problem.window.active),
                         over_active);
}

WeightedOrbitals problem_orbitals(const DeterminantProblem& problem, Spin spin) {
  const ci::MolecularOrbitals& all = orbitals_of(problem);
  WeightedOrbitals found{.coefficients = joined({&all.inactive_of(spin), &all.of(spin)})};
  const double full = all.is_spin_dependent() ? 1 : 2;
  const int frozen = static_cast<int>(problem.window.frozen.size());
  const int alpha = problem.space.electrons(Spin::alpha) + frozen;
  const int beta = problem.space.electrons(Spin::beta) + frozen;
  const auto occupation = [&](int k) {
    if (all.is_spin_dependent()) return k < (spin == Spin::alpha ? alpha : beta) ? 1.0 : 0.0;
    return 1.0 * (k < alpha) + (k < beta);
  };
  found.weights.assign(static_cast<std::size_t>(all.inactive_of(spin).columns()), full);
  for (int k = 0; k < all.of(spin).columns(); ++k) found.weights.push_back(occupation(k));
  return found;
}

WeightedOrbitals natural_orbitals(const DeterminantProblem& problem,
                                  const ci::OneParticleDensity& density) {
  const ci::MolecularOrbitals& all = orbitals_of(problem);
  if (all.is_spin_dependent()) return natural_orbitals_of_two_spins(problem, density);
  const solver::EigenPairs pairs = falling_eigen(solver::symmetric_eigen(density.spin_free()));
  const SmallMatrix frozen = solver::columns_of(all.alpha, problem.window.frozen);
  const SmallMatrix active = in_basis(problem, Spin::alpha, pairs.vectors);
  const SmallMatrix dropped = solver::columns_of(all.alpha, dropped_orbitals(problem));
  WeightedOrbitals found{.coefficients = joined({&all.inactive, &frozen, &active, &dropped})};
  found.weights.assign(static_cast<std::size_t>(all.inactive.columns() + frozen.columns()), 2);
  found.weights.insert(found.weights.end(), pairs.values.begin(), pairs.values.end());
  found.weights.resize(static_cast<std::size_t>(found.coefficients.columns()));
  return found;
}

WeightedOrbitals spin_density_orbitals(const DeterminantProblem& problem,
                                       const ci::OneParticleDensity& density) {
  WeightedOrbitals found;
  if (orbitals_of(problem).is_spin_dependent()) {
    append_density(problem, density, Spin::alpha, 1, found);
    append_density(problem, density, Spin::beta, -1, found);
    return found;
  }
  SmallMatrix difference = density.spin[0];
  for (std::size_t k = 0; k < difference.values().size(); ++k)
    difference.values()[k] -= density.spin[1].values()[k];
  const solver::EigenPairs pairs = falling_eigen(solver::symmetric_eigen(difference));
  return {in_basis(problem, Spin::alpha, pairs.vectors), pairs.values};
}

std::array<SmallMatrix, 2> density_in_basis(const DeterminantProblem& problem,
                                            const ci::OneParticleDensity& density) {
  std::array<SmallMatrix, 2> found{SmallMatrix(0, 0), SmallMatrix(0, 0)};
  for (const Spin spin : kSpins) {
    const SmallMatrix c = inner_orbitals(problem, spin);
    found[index_of_spin(spin)] =
        solver::product(solver::product(c, inner_density(problem, density, spin)), transposed(c));
  }
  return found;
}

PopulationAnalysis::PopulationAnalysis(const DeterminantProblem& problem)
    : problem_(problem),
      orbitals_{inner_orbitals(problem, Spin::alpha), inner_orbitals(problem, Spin::beta)},
      by_overlap_{SmallMatrix(0, 0), SmallMatrix(0, 0)},
      by_root_{SmallMatrix(0, 0), SmallMatrix(0, 0)} {
  const ci::MolecularOrbitals& all = orbitals_of(problem);
  for (const ci::ContractedShell& shell : all.basis.shells)
    nucleus_.insert(nucleus_.end(), static_cast<std::size_t>(all.basis.functions(shell)),
                    shell.nucleus);
  const SmallMatrix root = square_root(all.overlap);
  for (std::size_t s = 0; s < 2; ++s) {
    by_overlap_[s] = solver::product(all.overlap, orbitals_[s]);
    by_root_[s] = solver::product(root, orbitals_[s]);
  }
}

Populations PopulationAnalysis::of(const ci::OneParticleDensity& density) const {
  const auto& nuclei = orbitals_of(problem_).basis.nuclei;
  Populations found;
  for (AtomPopulations* kind : {&found.mulliken, &found.loewdin}) {
    for (const ci::Nucleus& nucleus : nuclei) kind->charges.push_back(nucleus.charge);
    kind->spins.resize(nuclei.size());
  }
  for (const Spin spin : kSpins) {
    const std::size_t s = index_of_spin(spin);
    const SmallMatrix inner = inner_density(problem_, density, spin);
    const auto add = [&](const std::vector<double>& populations, AtomPopulations& to) {
      for (std::size_t k = 0; k < populations.size(); ++k) {
        const auto atom = static_cast<std::size_t>(nucleus_[k]);
        to.charges[atom] -= populations[k];
        to.spins[atom] += spin == Spin::alpha ? populations[k] : -populations[k];
      }
    };
    add(function_populations(orbitals_[s], inner, by_overlap_[s]), found.mulliken);
    add(function_populations(by_root_[s], inner, by_root_[s]), found.loewdin);
  }
  return found;
}

}  // namespace cisolve::job
