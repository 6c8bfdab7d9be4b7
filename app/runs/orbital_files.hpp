#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/config/configuration.hpp"
#include "app/config/cube_contents.hpp"
#include "io/orbitals/cube.hpp"
#include "io/results/results.hpp"
#include "job/run/outcome.hpp"
#include "job/states/orbitals_in_basis.hpp"

// Molden and cube files of a solved job.
namespace cisolve::app {

/// Names of the requested files: orbitals.molden and natural-1.molden and so on by output.molden,
/// with transition-2.molden and so on by analysis.orbitals and dyson.molden by analysis.dyson;
/// orbital_5.cube, density-1.cube and so on by output.cube, the number of the state behind the
/// dash. Throws ErrorKind::configuration for names that output.cube does not know.
std::vector<std::string> orbital_file_names(const Configuration& configuration);

/// Throws ErrorKind::configuration, before the solution, if the problem cannot have the requested
/// files: no basis functions are known, Molden files do not know them, or an orbital does not
/// exist. `molecule` may be null.
void require_orbital_files(const Configuration& configuration,
                           const job::DeterminantProblem* molecule);

/// Throws ErrorKind::configuration, with `where` before the message, unless the orbital of a cube
/// file exists. Natural orbitals are as many as the problem has orbitals, inactive ones included.
void require_cube_orbital(const std::string& where, const CubeContents& contents,
                          const job::DeterminantProblem& molecule);

/// Writes the requested files of all states. Returns what was left out, and why; else nothing.
std::string write_orbital_files(const Configuration& configuration, const job::Outcome& found,
                                bool overwrites);

/// The basis, the orbitals and the natural orbitals of a job; none if it has no basis.
std::optional<io::StoredBasis> stored_basis(const job::Outcome& found);

/// Orbitals of one spin in a Molden file; energies may be empty.
struct MoldenSet {
  job::WeightedOrbitals orbitals = {};
  std::string label = {};  // before the number of each orbital
  ci::Spin spin = ci::Spin::alpha;
  std::vector<double> energies = {};
};

void write_molden_file(const std::filesystem::path& path, const ci::GaussianBasis& basis,
                       std::string_view title, const std::vector<MoldenSet>& sets, bool overwrites);

/// The orbitals of the problem, or the natural ones of a state, from 0.
void write_problem_orbitals(const std::filesystem::path& path, const job::Outcome& found,
                            bool overwrites);
void write_natural_orbitals(const std::filesystem::path& path, const job::Outcome& found,
                            std::size_t state, bool overwrites);

/// Natural transition orbitals from state 1 to another state (from 0), for each spin holes with the
/// negative weights of their pairs as occupations, then particles with the positive ones.
void write_transition_molden(const std::filesystem::path& path, const job::Outcome& found,
                             std::size_t state, bool overwrites);
/// The Dyson orbitals of all pairs of states: energies are negative ionisation energies,
/// occupations pole strengths, which are the squared norms of the orbitals.
void write_dyson_molden(const std::filesystem::path& path, const job::Outcome& found,
                        bool overwrites);

/// Writes a cube file; `state` counts from 0.
void write_cube_file(const std::filesystem::path& path, const job::Outcome& found,
                     const CubeContents& contents, std::size_t state, const io::CubeGrid& grid,
                     bool overwrites);

}  // namespace cisolve::app
