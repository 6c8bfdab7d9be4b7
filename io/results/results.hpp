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
#include "ci/spaces/space.hpp"
#include "ci/strings/window.hpp"

// The project's own HDF5 schema of results, version 1; docs/results.md says what each part is.
namespace cisolve::io {

using base::Index;

/// Address space that is to be left, where it is limited, to write results
/// (base/address_space.hpp).
Index space_to_write();

struct StoredState {
  double energy = 0;
  double residual = 0;
  double error_bound = 0;
  double verified_residual = 0;  // as recomputed through the second operator
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

/// The determinants to which the elements of the vectors belong, in canonical order.
struct StoredSpace {
  const ci::Space& space;
  const ci::Window& window;
  int orbitals;               // of the whole problem
  bool same_orbitals = true;  // alpha and beta electrons have the same ones
};

inline constexpr std::string_view kNoDigest = "none";  // as files say it

/// Identifies the orbitals of a result, or their order and signs, in another problem.
struct StoredOrbitals {
  std::string digest = {};                   // of the integrals over all orbitals of the problem
  bool are_sites = false;                    // those of a lattice are the same whatever its model
  const ci::Integrals* integrals = nullptr;  // over the active ones, restricted; null: not saved
};

/// What they take in results, before it is compressed: that of strings where they are one with each
/// of others, as in full CI, products of lists and one irrep of these.
Index bytes_of(const StoredSpace& stored);

/// Density matrices of each state over the active orbitals, each row by row in one vector.
struct StoredDensities {
  std::vector<Index> orbitals = {};  // the active ones, from 1 in the problem's order
  std::vector<std::vector<double>> one_particle = {};  // alpha, then beta
  std::vector<std::vector<double>> natural_orbitals = {};
  std::vector<std::vector<double>> natural_occupations = {};
  std::vector<std::vector<double>> transition = {};    // from the first state to each other one
  std::vector<std::vector<double>> two_particle = {};  // summed over spins; empty: not saved
};

/// From what, by what and how a result came about.
struct Provenance {
  std::string configuration;  // as a configuration file
  std::string input;          // a line for each fact on which the matrix depends, with digests
  std::string backend;
  std::string device;
  Index threads = 0;
  std::string started;  // UTC, as 2026-01-31T23:59:59Z
  std::string finished;
  std::vector<std::pair<std::string, double>> seconds = {};  // by phase
};

struct StoredResults {
  Provenance provenance = {};
  std::string method = {};
  Index dimension = 0;
  Index iterations = 0;
  Index products = 0;
  bool verified = false;
  double orthogonality = 0;  // the largest |X^T X - 1|
  std::string completeness = {};
  std::vector<StoredState> states = {};
  std::vector<StoredIteration> history = {};
  const StoredDensities* densities = nullptr;  // null: they are not saved
};

/// What takes the most room of results, and is known before anything is known of it.
struct StoredVectors {
  std::optional<base::ConstBlock> values = {};  // in the host's memory; none: they are not saved
  base::Layout layout = {};                     // of their rows; files know only whole vectors
  const StoredSpace* space = nullptr;           // null: it is not saved
  const StoredOrbitals* orbitals = nullptr;     // likewise, beside a space
};

Index bytes_of(const StoredVectors& vectors);

/// A file of results while it comes about: its vectors and determinants are written and brought to
/// the disk first, all else in the end. It appears whole or not at all. Faults are
/// Fault::cannot_write. HDF5 knows nothing of threads: one of them at a time may write such files,
/// or anything else by HDF5.
class ResultsFile {
 public:
  ResultsFile(const std::filesystem::path& path, const StoredVectors& vectors, bool overwrite);
  ResultsFile(ResultsFile&&) noexcept;
  ~ResultsFile();

  /// Writes all else and gives the file its name.
  void commit(const StoredResults& results);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Likewise, determinants over all orbitals and the coefficients of each state, as the TREXIO
/// library lays them out in its HDF5 back end.
class TrexioFile {
 public:
  TrexioFile(const std::filesystem::path& path, const StoredSpace& space, base::ConstBlock vectors,
             bool overwrite);
  TrexioFile(TrexioFile&&) noexcept;
  ~TrexioFile();

  void commit();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cisolve::io
