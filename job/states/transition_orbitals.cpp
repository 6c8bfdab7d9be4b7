#include "job/states/transition_orbitals.hpp"

#include <cmath>
#include <utility>

#include "base/small_matrix.hpp"
#include "job/states/properties.hpp"
#include "solver/vectors/small_eigen.hpp"

namespace cisolve::job {
namespace {

using base::SmallMatrix;
using ci::OneParticleDensity;
using ci::Spin;

constexpr double kSameSize = 1e-6;  // coefficients of one size, of which the first has the sign

/// +1 or -1: the sign of the largest coefficient of a column, the first of several.
double sign_of_column(const SmallMatrix& a, int column) {
  double largest = 0;
  for (int p = 0; p < a.rows(); ++p) largest = std::max(largest, std::abs(a(p, column)));
  for (int p = 0; p < a.rows(); ++p)
    if (std::abs(a(p, column)) > largest - kSameSize) return a(p, column) < 0 ? -1 : 1;
  return 1;
}

void append_column(std::vector<double>& to, const SmallMatrix& a, int column, double sign) {
  for (int p = 0; p < a.rows(); ++p) to.push_back(sign * a(p, column));
}

/// Adds the decomposition of a transition density to the lists.
void add_pairs(const OneParticleDensity& density, io::StoredTransitionOrbitals& found) {
  std::vector<double>& weights = found.weights.emplace_back();
  std::vector<double>& holes = found.holes.emplace_back();
  std::vector<double>& particles = found.particles.emplace_back();
  for (const SmallMatrix& gamma : density.spin) {
    const solver::SingularValues pairs = solver::singular_values(gamma);
    for (int k = 0; k < gamma.columns(); ++k) {
      const double value = pairs.values[static_cast<std::size_t>(k)];
      const double sign = sign_of_column(pairs.left, k);
      weights.push_back(value * value);
      append_column(holes, pairs.left, k, sign);
      append_column(particles, pairs.right, k, sign);
    }
  }
}

/// Sums of gamma gamma^T and gamma^T gamma of each spin.
struct LevelDensities {
  explicit LevelDensities(int n) : holes(n), particles(n) {}
  OneParticleDensity holes;
  OneParticleDensity particles;

  void add(const OneParticleDensity& density, double factor) {
    for (std::size_t s = 0; s < density.spin.size(); ++s) {
      const SmallMatrix& gamma = density.spin[s];
      const int n = gamma.rows();
      for (int p = 0; p < n; ++p)
        for (int q = 0; q < n; ++q) {
          double hole = 0;
          double particle = 0;
          for (int r = 0; r < n; ++r) {
            hole += gamma(p, r) * gamma(q, r);
            particle += gamma(r, p) * gamma(r, q);
          }
          holes.spin[s](p, q) += factor * hole;
          particles.spin[s](p, q) += factor * particle;
        }
    }
  }
};

void add_eigenvectors(const OneParticleDensity& density, std::vector<double>& weights,
                      std::vector<double>& orbitals) {
  for (const SmallMatrix& of_spin : density.spin) {
    const solver::EigenPairs pairs = solver::symmetric_eigen(of_spin);
    for (int k = of_spin.columns() - 1; k >= 0; --k) {
      weights.push_back(std::max(0.0, pairs.values[static_cast<std::size_t>(k)]));
      append_column(orbitals, pairs.vectors, k, sign_of_column(pairs.vectors, k));
    }
  }
}

/// Transition densities, those that an analysis keeps or new ones.
class TransitionDensities {
 public:
  TransitionDensities(const DeterminantProblem& molecule, const solver::Result& result,
                      const io::StoredDensities& kept)
      : space_(molecule.space), vectors_(result.vectors.block()), kept_(kept) {}

  OneParticleDensity operator()(std::size_t bra, std::size_t ket) const {
    const bool is_kept = bra == 0 && std::ssize(kept_.transition) + 1 == vectors_.columns;
    if (!is_kept)
      return ci::transition_density(space_, vectors_.column(static_cast<int>(bra)),
                                    vectors_.column(static_cast<int>(ket)));
    OneParticleDensity density(space_.orbitals());
    auto next = kept_.transition[ket - 1].begin();
    for (SmallMatrix& gamma : density.spin)
      for (int p = 0; p < gamma.rows(); ++p)
        for (int q = 0; q < gamma.columns(); ++q) gamma(p, q) = *next++;
    return density;
  }

 private:
  const ci::Space& space_;
  base::ConstBlock vectors_;
  const io::StoredDensities& kept_;
};

void add_level(const EnergyLevel& level, std::size_t initial, const TransitionDensities& densities,
               int orbitals, io::StoredTransitionOrbitals& found) {
  LevelDensities sum(orbitals);
  for (std::size_t bra = 0; bra < initial; ++bra)
    for (std::size_t k = 0; k < level.states; ++k)
      sum.add(densities(bra, level.first + k), 1 / static_cast<double>(initial));
  found.level_first.push_back(static_cast<Index>(level.first) + 1);
  found.level_states.push_back(static_cast<Index>(level.states));
  add_eigenvectors(sum.holes, found.level_hole_weights.emplace_back(),
                   found.level_holes.emplace_back());
  add_eigenvectors(sum.particles, found.level_particle_weights.emplace_back(),
                   found.level_particles.emplace_back());
}

}  // namespace

double participation(const double* first, const double* last) {
  double sum = 0;
  double squares = 0;
  for (const double* w = first; w != last; ++w) {
    sum += *w;
    squares += *w * *w;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

void add_transition_orbitals(const DeterminantProblem& molecule, const Request& request,
                             const solver::Result& result, StateAnalysis& analysis) {
  const std::size_t states = result.states.size();
  if (request.analysis.orbitals != AnalysedOrbitals::transition || states < 2) return;
  const Index n = molecule.space.orbitals();
  molecule.space.host().host_memory().require(
      8 * n * (n + 1) * Index{sizeof(double)} * static_cast<Index>(states),
      "natural transition orbitals");
  std::vector<double> energies;
  for (const solver::State& state : result.states) energies.push_back(state.energy);
  const TransitionDensities densities(molecule, result, analysis.kept);
  io::StoredTransitionOrbitals found;
  for (const int p : molecule.window.active) found.orbitals.push_back(p + 1);
  for (std::size_t ket = 1; ket < states; ++ket) add_pairs(densities(0, ket), found);
  const std::vector<EnergyLevel> levels = energy_levels(energies);
  if (levels.size() < states)
    for (std::size_t k = 1; k < levels.size(); ++k)
      add_level(levels[k], levels.front().states, densities, static_cast<int>(n), found);
  analysis.transition_orbitals = std::move(found);
}

}  // namespace cisolve::job
