#pragma once

#include <exception>
#include <future>
#include <optional>
#include <string>

#include "app/config/configuration.hpp"
#include "app/report/kept_vectors.hpp"
#include "base/address_space.hpp"
#include "io/results/results.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/run/listener.hpp"

namespace cisolve::app {

/// Writes the result files of a solved job other than run.json. A background thread writes vectors
/// and determinants while the job verifies and describes its states; finish() writes the rest and
/// reports errors.
///
/// Meanwhile only this thread uses HDF5: checkpoints end with the solution, and a job that lends
/// its states no longer reads by HDF5.
class ResultWriter {
 public:
  ResultWriter(const Configuration& configuration, bool overwrites)
      : configuration_(configuration),
        overwrites_(overwrites),
        reserve_(io::writing_address_space(), "the files of results") {}
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// Starts writing; the states must stay valid until finish() or abandon(). If the address space
  /// is limited, writing is deferred to finish(), since verification may take the memory that HDF5
  /// needs.
  void begin(const job::LentStates& states);

  /// Waits for the background write, or performs it now, and writes the rest; `started` is the UTC
  /// start time of the job. Each file appears complete or not at all.
  void finish(const job::Outcome& found, std::string started);

  /// Waits for the background write, and discards the files.
  void abandon() noexcept { pending_ = {}; }

  /// Prediction for states of `rows` rows.
  KeptVectors expected(Index rows, const job::DeterminantProblem* molecule) const;
  /// Fixes the decision before the solution, so that what was announced holds; otherwise begin()
  /// decides.
  void decide(const KeptVectors& vectors) { kept_ = vectors; }
  const std::optional<KeptVectors>& kept() const { return kept_; }

  /// Files that were not written, and why; empty if all were.
  const std::string& left_out() const { return left_out_; }

  /// Seconds of writing that overlapped with other work.
  double overlapped_seconds() const { return overlapped_; }

 private:
  struct PendingFiles {
    io::ResultsFile results;
    std::optional<io::TrexioFile> trexio = {};
    std::exception_ptr trexio_failure = {};  // results are finished all the same
    std::string input = {};                  // identity of the input
    double seconds = 0;
  };
  PendingFiles write_vectors() const;
  KeptVectors kept_of(Index bytes) const;

  const Configuration& configuration_;
  bool overwrites_;
  base::AddressReserve reserve_;  // held until files are written
  double overlapped_ = 0;
  std::string left_out_ = {};
  io::StoredVectors vectors_;
  std::optional<KeptVectors> kept_;
  std::optional<io::StoredSpace> space_;  // referenced by the vectors
  io::StoredOrbitals orbitals_;           // referenced by the vectors
  std::future<PendingFiles> pending_;     // destroyed before what it reads
};

}  // namespace cisolve::app
