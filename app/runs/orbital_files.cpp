#include "app/runs/orbital_files.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "io/orbitals/molden.hpp"
#include "job/problem/molecular_orbitals.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;
using ci::Spin;
using Kind = CubeContents::Kind;

constexpr const char* kOrbitalsMolden = "orbitals.molden";
constexpr const char* kDysonMolden = "dyson.molden";
constexpr const char* kGridKeys = "output.cube_spacing and output.cube_margin";

std::string name_with_state(const std::string& name, std::size_t state, const char* ending) {
  return base::concat(name, "-", state + 1, ending);
}

CubeContents known_contents(const Configuration& configuration, const std::string& name) {
  if (const auto contents = cube_contents(name)) return *contents;
  base::fail(base::ErrorKind::configuration, configuration.request.origin, ": output.cube names ",
             name.substr(0, 64), "; expected density, spin_density, natural_N, orbital_N or ",
             "beta_orbital_N, N from 1");
}

std::size_t count_of_states(const Configuration& configuration) {
  return static_cast<std::size_t>(configuration.request.solver.states);
}

bool has_transitions(const Configuration& configuration) {
  return configuration.request.analysis.orbitals == job::AnalysedOrbitals::transition;
}

const ci::MolecularOrbitals& orbitals_of_problem(const job::DeterminantProblem& molecule) {
  return *molecule.molecular_orbitals;
}

io::CubeGrid requested_grid(const Configuration& configuration,
                            const job::DeterminantProblem& molecule) {
  const io::CubeGrid grid =
      io::grid_around(orbitals_of_problem(molecule).basis, configuration.output.cube_spacing,
                      configuration.output.cube_margin);
  io::require_sensible(grid, kGridKeys);
  return grid;
}

std::string title_of(const job::Outcome& found, const std::string& what) {
  const double energy = found.result->states.front().energy;
  return base::concat("ci-solve ", CISOLVE_VERSION, ": ", what, "; energy of state 1 ",
                      base::fixed(energy, 10), " Hartree");
}

std::string title_of_state(const job::Outcome& found, const std::string& what, std::size_t state) {
  return base::concat("ci-solve ", CISOLVE_VERSION, ": ", what, " of state ", state + 1,
                      ", energy ", base::fixed(found.result->states[state].energy, 10), " Hartree");
}

bool has_densities(const job::Outcome& found) {
  return found.analysis && !found.analysis->kept.one_particle.empty();
}

ci::OneParticleDensity density_of_state(const job::Outcome& found, std::size_t state) {
  if (!has_densities(found))
    base::fail(base::ErrorKind::usage, "the job has no density matrices; expected ",
               "analysis.densities one, two or auto");
  return job::kept_density(found.analysis->kept, state);
}

/// Energies of the orbitals of a problem, inactive ones first; empty if unknown.
std::vector<double> orbital_energies(const job::Outcome& found, std::size_t count,
                                     std::size_t inactive) {
  if (!found.analysis || !found.analysis->configurations_from) return {};
  const job::ConfigurationReference& known = *found.analysis->configurations_from;
  std::vector<double> energies(count);
  for (std::size_t k = 0; k < known.energies.size(); ++k)
    energies[inactive + static_cast<std::size_t>(known.orbitals[k] - 1)] = known.energies[k];
  return energies;
}

}  // namespace

std::vector<std::string> orbital_file_names(const Configuration& configuration) {
  std::vector<std::string> names;
  const auto add_for_states = [&](const std::string& name, const char* ending) {
    for (std::size_t j = 0; j < count_of_states(configuration); ++j)
      names.push_back(name_with_state(name, j, ending));
  };
  if (configuration.output.molden) {
    names.emplace_back(kOrbitalsMolden);
    add_for_states("natural", ".molden");
    if (has_transitions(configuration))
      for (std::size_t j = 1; j < count_of_states(configuration); ++j)
        names.push_back(name_with_state("transition", j, ".molden"));
    if (!configuration.request.analysis.dyson.empty()) names.emplace_back(kDysonMolden);
  }
  for (const std::string& name : configuration.output.cube) {
    if (known_contents(configuration, name).is_of_states())
      add_for_states(name, ".cube");
    else
      names.push_back(name + ".cube");
    if (std::ranges::count(configuration.output.cube, name) > 1)
      base::fail(base::ErrorKind::configuration, configuration.request.origin,
                 ": output.cube names ", name, " twice; expected it once");
  }
  return names;
}

void require_cube_orbital(const std::string& where, const CubeContents& contents,
                          const job::DeterminantProblem& molecule) {
  const ci::MolecularOrbitals& all = orbitals_of_problem(molecule);
  if (contents.kind == Kind::density || contents.kind == Kind::spin_density) return;
  if (contents.kind == Kind::beta_orbital && !all.is_spin_dependent())
    base::fail(base::ErrorKind::configuration, where, ": a beta orbital, but the integrals do not ",
               "depend on spin; expected orbital_", contents.number);
  const int inactive = contents.kind == Kind::natural ? all.inactive.columns() : 0;
  const int most = inactive + molecule.orbitals;
  if (contents.number > most)
    base::fail(base::ErrorKind::configuration, where, ": orbital ", contents.number,
               "; expected 1 to ", most,
               contents.kind == Kind::natural ? ", inactive ones counted first" : "");
}

void require_orbital_files(const Configuration& configuration,
                           const job::DeterminantProblem* molecule) {
  const auto& output = configuration.output;
  if (!output.molden && output.cube.empty()) return;
  const char* key = output.molden ? "output.molden" : "output.cube";
  const std::string& origin = configuration.request.origin;
  if (molecule == nullptr || !molecule->molecular_orbitals)
    base::fail(base::ErrorKind::configuration, origin, ": ", key,
               " asks for files, but the problem brings no basis functions; ",
               job::remedy_for_orbitals(configuration.request));
  const auto needs_densities = [&](const std::string& name) {
    return known_contents(configuration, name).is_of_states();
  };
  if (configuration.request.analysis.densities == job::Densities::none &&
      (output.molden || std::ranges::any_of(output.cube, needs_densities)))
    base::fail(base::ErrorKind::configuration, origin, ": ", key,
               " asks for files of each state, but analysis.densities is none; expected one");
  if (output.molden) io::require_molden_basis(orbitals_of_problem(*molecule).basis, key);
  for (const std::string& name : output.cube)
    require_cube_orbital(base::concat(origin, ": output.cube names ", name),
                         known_contents(configuration, name), *molecule);
  if (!output.cube.empty()) static_cast<void>(requested_grid(configuration, *molecule));
}

std::string write_orbital_files(const Configuration& configuration, const job::Outcome& found,
                                bool overwrites) {
  const fs::path folder = configuration.output.directory;
  const auto& output = configuration.output;
  if (!output.molden && output.cube.empty()) return {};
  require_orbital_files(configuration, found.determinant_problem.get());
  const std::size_t states = has_densities(found) ? found.result->states.size() : 0;
  bool lacks_densities = false;
  if (output.molden) {
    write_problem_orbitals(folder / kOrbitalsMolden, found, overwrites);
    for (std::size_t j = 0; j < states; ++j)
      write_natural_orbitals(folder / name_with_state("natural", j, ".molden"), found, j,
                             overwrites);
    lacks_densities = states == 0;
    if (found.analysis && found.analysis->transition_orbitals)
      for (std::size_t j = 1; j < found.result->states.size(); ++j)
        write_transition_molden(folder / name_with_state("transition", j, ".molden"), found, j,
                                overwrites);
    if (found.analysis && found.analysis->dyson)
      write_dyson_molden(folder / kDysonMolden, found, overwrites);
  }
  for (const std::string& name : output.cube) {
    const CubeContents contents = known_contents(configuration, name);
    const io::CubeGrid grid = requested_grid(configuration, *found.determinant_problem);
    if (!contents.is_of_states()) {
      write_cube_file(folder / (name + ".cube"), found, contents, 0, grid, overwrites);
      continue;
    }
    for (std::size_t j = 0; j < states; ++j)
      write_cube_file(folder / name_with_state(name, j, ".cube"), found, contents, j, grid,
                      overwrites);
    lacks_densities |= states == 0;
  }
  if (!lacks_densities) return {};
  return "files of natural orbitals and densities were left out: " +
         (found.analysis ? found.analysis->note : std::string("the states were not described"));
}

std::optional<io::StoredBasis> stored_basis(const job::Outcome& found) {
  if (!found.determinant_problem || !found.determinant_problem->molecular_orbitals)
    return std::nullopt;
  io::StoredBasis stored{.orbitals = found.determinant_problem->molecular_orbitals};
  const std::size_t states = has_densities(found) ? found.result->states.size() : 0;
  for (std::size_t j = 0; j < states; ++j) {
    const auto naturals = job::natural_orbitals(*found.determinant_problem,
                                                job::kept_density(found.analysis->kept, j));
    const auto values = naturals.coefficients.values();
    stored.natural_orbitals.emplace_back(values.begin(), values.end());
    stored.natural_occupations.push_back(naturals.weights);
  }
  return stored;
}

void write_molden_file(const fs::path& path, const ci::GaussianBasis& basis, std::string_view title,
                       const std::vector<MoldenSet>& sets, bool overwrites) {
  std::vector<io::MoldenOrbital> orbitals;
  for (const MoldenSet& set : sets) {
    const base::SmallMatrix& c = set.orbitals.coefficients;
    for (int k = 0; k < c.columns(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const auto rows = static_cast<std::size_t>(c.rows());
      orbitals.push_back({.label = base::concat(set.label, k + 1),
                          .energy = set.energies.empty() ? 0 : set.energies[at],
                          .spin = set.spin,
                          .occupation = set.orbitals.weights[at],
                          .coefficients = c.values().subspan(at * rows, rows)});
    }
  }
  io::OutputFile file(path, overwrites);
  io::write_molden(file, basis, title, orbitals);
  file.commit();
}

void write_problem_orbitals(const fs::path& path, const job::Outcome& found, bool overwrites) {
  const job::DeterminantProblem& molecule = *found.determinant_problem;
  const ci::MolecularOrbitals& all = orbitals_of_problem(molecule);
  std::vector<MoldenSet> sets;
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    if (spin == Spin::beta && !all.is_spin_dependent()) continue;
    MoldenSet set{.orbitals = job::problem_orbitals(molecule, spin), .label = "o", .spin = spin};
    if (!all.is_spin_dependent())
      set.energies = orbital_energies(found, set.orbitals.weights.size(),
                                      static_cast<std::size_t>(all.inactive_of(spin).columns()));
    sets.push_back(std::move(set));
  }
  write_molden_file(path, all.basis, title_of(found, "orbitals of the integrals"), sets,
                    overwrites);
}

void write_natural_orbitals(const fs::path& path, const job::Outcome& found, std::size_t state,
                            bool overwrites) {
  const job::DeterminantProblem& molecule = *found.determinant_problem;
  const MoldenSet set{.orbitals = job::natural_orbitals(molecule, density_of_state(found, state)),
                      .label = "n"};
  write_molden_file(path, orbitals_of_problem(molecule).basis,
                    title_of_state(found, "natural orbitals", state), {set}, overwrites);
}

namespace {

constexpr double kLeastPair = 1e-8;  // weight of a pair of transition orbitals that is written

/// Orbitals of one spin, rows over the active ones, with the weights of their pairs times `sign`.
MoldenSet transition_set(const job::DeterminantProblem& molecule, Spin spin,
                         const std::vector<double>& weights, const std::vector<double>& rows,
                         double sign) {
  const auto n = static_cast<std::size_t>(molecule.space.orbitals());
  const std::size_t first = spin == Spin::alpha ? 0 : n;
  std::size_t pairs = 0;
  while (pairs < n && weights[first + pairs] > kLeastPair) ++pairs;
  base::SmallMatrix over_active(static_cast<int>(n), static_cast<int>(pairs));
  MoldenSet set{.label = sign < 0 ? "hole" : "particle", .spin = spin};
  for (std::size_t k = 0; k < pairs; ++k) {
    set.orbitals.weights.push_back(sign * weights[first + k]);
    for (std::size_t p = 0; p < n; ++p)
      over_active(static_cast<int>(p), static_cast<int>(k)) = rows[(first + k) * n + p];
  }
  set.orbitals.coefficients = job::in_basis(molecule, spin, over_active);
  return set;
}

}  // namespace

void write_transition_molden(const fs::path& path, const job::Outcome& found, std::size_t state,
                             bool overwrites) {
  const job::DeterminantProblem& molecule = *found.determinant_problem;
  const io::StoredTransitionOrbitals& stored = *found.analysis->transition_orbitals;
  const std::vector<double>& weights = stored.weights[state - 1];
  std::vector<MoldenSet> sets;
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    sets.push_back(transition_set(molecule, spin, weights, stored.holes[state - 1], -1));
    sets.push_back(transition_set(molecule, spin, weights, stored.particles[state - 1], 1));
  }
  write_molden_file(path, orbitals_of_problem(molecule).basis,
                    title_of_state(found, "natural transition orbitals from state 1", state), sets,
                    overwrites);
}

void write_dyson_molden(const fs::path& path, const job::Outcome& found, bool overwrites) {
  const io::StoredDyson& dyson = *found.analysis->dyson;
  const ci::MolecularOrbitals& all = orbitals_of_problem(*found.determinant_problem);
  const Spin spin = dyson.spin == "alpha" ? Spin::alpha : Spin::beta;
  const base::SmallMatrix& orbitals = all.of(spin);
  const auto pairs = static_cast<int>(std::ssize(dyson.orbitals));
  MoldenSet set{.label = "dyson", .spin = spin};
  set.orbitals = {.coefficients = base::SmallMatrix(orbitals.rows(), pairs),
                  .weights = dyson.pole_strengths};
  for (int k = 0; k < pairs; ++k) {
    const auto pair = static_cast<std::size_t>(k);
    set.energies.push_back(-dyson.energies[pair]);
    for (int q = 0; q < orbitals.columns(); ++q)
      for (int m = 0; m < orbitals.rows(); ++m)
        set.orbitals.coefficients(m, k) +=
            orbitals(m, q) * dyson.orbitals[pair][static_cast<std::size_t>(q)];
  }
  write_molden_file(path, all.basis, title_of(found, "Dyson orbitals, " + dyson.source), {set},
                    overwrites);
}

void write_cube_file(const fs::path& path, const job::Outcome& found, const CubeContents& contents,
                     std::size_t state, const io::CubeGrid& grid, bool overwrites) {
  const job::DeterminantProblem& molecule = *found.determinant_problem;
  const ci::MolecularOrbitals& all = orbitals_of_problem(molecule);
  const auto column = static_cast<int>(contents.number - 1);
  const auto one_of = [&](const base::SmallMatrix& orbitals) {
    base::SmallMatrix one(orbitals.rows(), 1);
    for (int p = 0; p < orbitals.rows(); ++p) one(p, 0) = orbitals(p, column);
    return job::WeightedOrbitals{.coefficients = one, .weights = {1}};
  };
  job::WeightedOrbitals drawn;
  std::string what;
  switch (contents.kind) {
    case Kind::density:
      drawn = job::natural_orbitals(molecule, density_of_state(found, state));
      what = "electron density";
      break;
    case Kind::spin_density:
      drawn = job::spin_density_orbitals(molecule, density_of_state(found, state));
      what = "spin density";
      break;
    case Kind::natural: {
      const auto naturals = job::natural_orbitals(molecule, density_of_state(found, state));
      what = base::concat("natural orbital ", contents.number, " of occupation ",
                          base::fixed(naturals.weights[static_cast<std::size_t>(column)], 6));
      drawn = one_of(naturals.coefficients);
      break;
    }
    case Kind::orbital:
      drawn = one_of(all.alpha);
      what = base::concat("orbital ", contents.number);
      break;
    case Kind::beta_orbital:
      drawn = one_of(all.beta);
      what = base::concat("beta orbital ", contents.number);
      break;
  }
  io::OutputFile file(path, overwrites);
  io::write_cube(
      file, all.basis,
      contents.is_of_states() ? title_of_state(found, what, state) : title_of(found, what), grid,
      drawn.coefficients, drawn.weights,
      contents.kind < Kind::natural ? io::CubeValues::density : io::CubeValues::orbital,
      molecule.space.host());
  file.commit();
}

}  // namespace cisolve::app
