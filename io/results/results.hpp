#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/block.hpp"
#include "base/ranks/layout.hpp"
#include "ci/fock/basis/molecular_orbitals.hpp"
#include "ci/fock/spaces/space.hpp"
#include "ci/fock/strings/window.hpp"
#include "io/results/stored_densities.hpp"

// HDF5 schema of results, version 1; docs/results.md describes each part. StoredX are data to be
// written, SavedX data that were read.
namespace cisolve::io {

using base::Index;

/// Address space required to write results, if it is limited (base/address_space.hpp).
Index writing_address_space();

struct StoredState {
  double energy = 0;
  double residual = 0;
  double error_bound = 0;
  double verified_residual = 0;  // recomputed by the second operator
  bool converged = false;
};

struct StoredIteration {
  Index number = 0;
  Index subspace = 0;
  Index products = 0;
  bool searching = false;
  std::vector<double> energies = {};
  std::vector<double> residuals = {};
};

/// The determinants of the vectors' elements, in canonical order.
struct StoredSpace {
  const ci::Space& space;
  const ci::Window& window;
  int orbitals;               // orbitals of the whole problem
  bool same_orbitals = true;  // alpha and beta electrons share orbitals
};

inline constexpr std::string_view kNoDigest = "none";  // stored in files instead of a digest

/// Identification of a result's orbitals, or of their order and signs, for use in another problem.
struct StoredOrbitals {
  std::string digest = {};  // digest of the integrals over all orbitals of the problem
  bool are_sites = false;   // lattice sites, independent of the model
  const ci::Integrals* integrals =
      nullptr;  // restricted integrals over the active orbitals; null: not saved
};

/// Uncompressed bytes in results: as strings if determinants are products of string lists (full CI,
/// or one irrep of it), otherwise as lists.
Index bytes_of(const StoredSpace& stored);

/// Values of a one-electron operator, one vector of all components per state or transition.
struct StoredProperty {
  std::string name;
  std::string components;  // names of the components, separated by spaces
  std::string unit;
  bool antisymmetric = false;
  std::vector<std::vector<double>> states = {};  // empty if they vanish: of antisymmetric ones
  /// Moments from the first state to each other one.
  std::vector<std::vector<double>> from_first = {};
};

/// Populations of atoms, one vector per state.
struct StoredPopulations {
  std::string atoms = {};  // their symbols, separated by spaces; empty: not known
  std::vector<std::vector<double>> mulliken_charges = {};
  std::vector<std::vector<double>> mulliken_spins = {};
  std::vector<std::vector<double>> loewdin_charges = {};
  std::vector<std::vector<double>> loewdin_spins = {};
};

/// Expectation values, and transitions from the first state to each other one.
struct StoredProperties {
  std::vector<StoredProperty> properties = {};
  std::vector<double> energies = {};            // excitation energies
  std::vector<double> length_strengths = {};    // NaN: undefined; empty: not known
  std::vector<double> velocity_strengths = {};  // oscillator strengths in the velocity gauge
  StoredPopulations populations = {};
};

/// Origin of a result: problem, program, machine and times.
struct Provenance {
  std::string configuration;  // text of the configuration file
  std::string input;          // one line per fact that determines the matrix, with digests
  std::string backend;
  std::string device;
  Index threads = 0;
  std::string started;  // UTC, as 2026-01-31T23:59:59Z
  std::string finished;
  std::vector<std::pair<std::string, double>> seconds = {};  // time of each phase
};

/// The basis of a problem, its orbitals, and the natural orbitals of each state over the functions,
/// one orbital after the other. Natural orbitals may be empty.
struct StoredBasis {
  std::shared_ptr<const ci::MolecularOrbitals> orbitals;
  std::vector<std::vector<double>> natural_orbitals = {};
  std::vector<std::vector<double>> natural_occupations = {};
};

struct StoredResults {
  Provenance provenance = {};
  std::string method = {};
  Index dimension = 0;
  Index iterations = 0;
  Index products = 0;
  bool verified = false;
  double orthogonality = 0;  // max \pX^T X - 1\p
  std::string completeness = {};
  std::vector<StoredState> states = {};
  std::vector<StoredIteration> history = {};
  const StoredDensities* densities = nullptr;  // null: not saved
  std::optional<StoredProperties> properties = {};
  const StoredEntropies* entropies = nullptr;                     // null: not saved
  const StoredTransitionOrbitals* transition_orbitals = nullptr;  // likewise
  const StoredDyson* dyson = nullptr;                             // likewise
  std::optional<StoredBasis> basis = {};
};

/// The largest parts of results, which are written first.
struct StoredVectors {
  std::optional<base::ConstBlock> values = {};  // in host memory; nullopt: not saved
  base::Layout layout = {};  // layout of the vectors' rows; files contain whole vectors only
  const StoredSpace* space = nullptr;        // null: not saved
  const StoredOrbitals* orbitals = nullptr;  // null: not saved; requires a space
};

Index bytes_of(const StoredVectors& vectors);

/// A results file being written: vectors and determinants are written and synced by the
/// constructor, the rest by commit(). It appears completely or not at all. Throws
/// ErrorKind::cannot_write. HDF5 is not thread-safe: only one thread may use it at a time.
class ResultsFile {
 public:
  ResultsFile(const std::filesystem::path& path, const StoredVectors& vectors, bool overwrite);
  ResultsFile(ResultsFile&&) noexcept;
  ~ResultsFile();

  /// Writes the rest and renames the file.
  void commit(const StoredResults& results);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A TREXIO file (HDF5 back end) with determinants over all orbitals and the coefficients of each
/// state; written like ResultsFile.
class TrexioFile {
 public:
  TrexioFile(const std::filesystem::path& path, const StoredSpace& space, base::ConstBlock vectors,
             bool overwrite);
  TrexioFile(TrexioFile&&) noexcept;
  ~TrexioFile();

  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cisolve::io
