#include "job/states/properties.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "ci/properties/moments.hpp"
#include "job/states/orbitals_in_basis.hpp"

namespace cisolve::job {
namespace {

constexpr double kOneLevel = 1e-6;  // Hartree between states of one level
// A density takes no longer than a product, so densities take a tenth of a solution at most.
constexpr Index kProductsForEachDensity = 10;
constexpr Index kNegligibleRows = Index{1} << 18;  // densities times rows that take milliseconds

ci::OneElectronOperator without_matrices(const ci::OneElectronOperator& one) {
  ci::OneElectronOperator copy = one;
  copy.alpha.clear();
  copy.beta.clear();
  return copy;
}

/// Densities of the states and transition densities, from the file if kept, else computed.
class OneParticleDensities {
 public:
  OneParticleDensities(const ci::StateSums& sums, const base::MultiVector& vectors,
                       const io::StoredDensities& kept)
      : sums_(sums), vectors_(vectors), kept_(kept) {}

  bool are_kept() const { return std::ssize(kept_.one_particle) == vectors_.columns(); }

  ci::OneParticleDensity of(std::size_t state) const {
    if (are_kept()) return density_of(kept_.one_particle[state], orbitals());
    return ci::one_particle_density(sums_, column(state));
  }
  ci::OneParticleDensity between(std::size_t bra, std::size_t ket) const {
    if (bra == 0 && are_kept()) return density_of(kept_.transition[ket - 1], orbitals());
    return ci::transition_density(sums_, column(bra), column(ket));
  }

 private:
  int orbitals() const { return sums_.space().orbitals(); }
  const double* column(std::size_t state) const {
    return vectors_.block().column(static_cast<int>(state));
  }

  const ci::StateSums& sums_;
  const base::MultiVector& vectors_;
  const io::StoredDensities& kept_;
};

/// Computes the properties of the operators that are wanted.
class PropertyTable {
 public:
  PropertyTable(const DeterminantProblem& molecule, const Request& request,
                const solver::Result& result, const OneParticleDensities& densities)
      : molecule_(molecule),
        request_(request),
        result_(result),
        densities_(densities),
        rows_(molecule.space.dimension()) {
    const auto& names = request.analysis.properties.names;
    for (const ci::OneElectronOperator& one : molecule.operators)
      if (names.empty() || std::ranges::find(names, one.name) != names.end()) {
        operators_.push_back(&one);
        table_.operators.push_back(without_matrices(one));
      }
    const double electrons =
        molecule.space.electrons(ci::Spin::alpha) + molecule.space.electrons(ci::Spin::beta);
    for (const ci::OneElectronOperator* one : operators_)
      if (one->core_charge) table_.charge = *one->core_charge - electrons;
    for (const solver::State& state : result.states) energies_.push_back(state.energy);
  }

  StateProperties compute() {
    const auto states = static_cast<Index>(energies_.size());
    if (!densities_.are_kept() && !may_take(2 * states - 1)) {
      table_.note = why_not("properties", 2 * states - 1);
      return std::move(table_);
    }
    const bool has_populations = request_.analysis.properties.has_populations();
    std::optional<PopulationAnalysis> atoms;
    if (has_populations) atoms.emplace(molecule_);
    for (std::size_t j = 0; j < energies_.size(); ++j) {
      const ci::OneParticleDensity density = densities_.of(j);
      table_.states.push_back(values_in(density));
      if (atoms) table_.populations.push_back(atoms->of(density));
    }
    if (has_populations)
      for (const ci::Nucleus& nucleus : molecule_.molecular_orbitals->basis.nuclei)
        table_.atoms.emplace_back(ci::element_symbol(nucleus.atomic_number));
    if (operators_.empty()) return std::move(table_);
    for (std::size_t j = 1; j < energies_.size(); ++j) table_.transitions.push_back(between(0, j));
    sum_strengths_by_level();
    return std::move(table_);
  }

 private:
  /// Whether this number of densities takes a tenth of the solution at most, or was asked for.
  bool may_take(Index densities) const {
    return !request_.analysis.properties.is_automatic() ||
           kProductsForEachDensity * densities <= result_.products ||
           densities * rows_ <= kNegligibleRows;
  }

  std::string why_not(const char* what, Index densities) const {
    return base::concat(what, " would take ", densities, " density matrices, more than a tenth of ",
                        "the ", result_.products,
                        " products of the solution; analysis.properties: [",
                        table_.operators.front().name, "] asks for them");
  }

  std::vector<Components> values_in(const ci::OneParticleDensity& density) const {
    std::vector<Components> values;
    for (const ci::OneElectronOperator* one : operators_)
      values.push_back(ci::expectation_values(*one, density));
    return values;
  }

  Transition between(std::size_t bra, std::size_t ket) const {
    Transition found{.to = ket, .energy = energies_[ket] - energies_[bra], .moments = {}};
    const ci::OneParticleDensity density = densities_.between(bra, ket);
    for (const ci::OneElectronOperator* one : operators_) {
      found.moments.push_back(ci::transition_moments(*one, density));
      const Components& moment = found.moments.back();
      if (one->name == ci::kDipole)
        found.length_strength = ci::length_strength(found.energy, moment);
      if (one->name == ci::kVelocity && found.energy > kOneLevel)
        found.velocity_strength = ci::velocity_strength(found.energy, moment);
    }
    return found;
  }

  /// Sums the strengths of each level, as a mean over the degenerate states of the first.
  void sum_strengths_by_level() {
    std::vector<EnergyLevel> levels = energy_levels(energies_);
    if (levels.size() == energies_.size()) return;
    const std::size_t initial = levels.front().states;
    const std::size_t others = energies_.size() - initial;
    const auto densities = static_cast<Index>((initial - 1) * others);
    if (!may_take(densities)) {
      table_.note = why_not("strengths from all states of the first energy", densities);
      return;
    }
    for (std::size_t bra = 0; bra < initial; ++bra)
      for (EnergyLevel& level : levels)
        for (std::size_t k = 0; k < level.states && level.first > 0; ++k) {
          const std::size_t ket = level.first + k;
          const Transition one = bra == 0 ? table_.transitions[ket - 1] : between(bra, ket);
          add_mean(level.length_strength, one.length_strength, initial);
          add_mean(level.velocity_strength, one.velocity_strength, initial);
        }
    table_.levels = std::move(levels);
  }

  static void add_mean(std::optional<double>& sum, const std::optional<double>& value,
                       std::size_t of) {
    if (value) sum = sum.value_or(0) + *value / static_cast<double>(of);
  }

  const DeterminantProblem& molecule_;
  const Request& request_;
  const solver::Result& result_;
  const OneParticleDensities& densities_;
  Index rows_;
  std::vector<const ci::OneElectronOperator*> operators_;
  std::vector<double> energies_;
  StateProperties table_;
};

}  // namespace

ci::OneParticleDensity density_of(const std::vector<double>& values, int orbitals) {
  ci::OneParticleDensity density(orbitals);
  std::size_t next = 0;
  for (base::SmallMatrix& spin : density.spin)
    for (int p = 0; p < orbitals; ++p)
      for (int q = 0; q < orbitals; ++q) spin(p, q) = values[next++];
  return density;
}

std::vector<EnergyLevel> energy_levels(const std::vector<double>& energies) {
  std::vector<EnergyLevel> levels;
  for (std::size_t j = 0; j < energies.size(); ++j) {
    if (j == 0 || energies[j] - energies[j - 1] > kOneLevel)
      levels.push_back({.first = j, .states = 0, .energy = energies[j] - energies[0]});
    ++levels.back().states;
  }
  return levels;
}

std::optional<StateProperties> properties_of(const DeterminantProblem& molecule,
                                             const Request& request, const solver::Result& result,
                                             const ci::StateSums& sums,
                                             const base::MultiVector& vectors,
                                             const io::StoredDensities& kept) {
  const PropertyChoice& wanted = request.analysis.properties;
  if (wanted.none || (molecule.operators.empty() && !wanted.has_populations())) return std::nullopt;
  const OneParticleDensities densities(sums, vectors, kept);
  return PropertyTable(molecule, request, result, densities).compute();
}

}  // namespace cisolve::job
