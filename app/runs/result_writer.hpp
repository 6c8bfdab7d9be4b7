#pragma once

#include <exception>
#include <future>
#include <optional>
#include <string>

#include "app/config/configuration.hpp"
#include "app/report/kept_vectors.hpp"
#include "base/address_space.hpp"
#include "io/results/results.hpp"
#include "job/run/listener.hpp"

namespace cisolve::app {

/// Writes what a solved job leaves beside its record. What takes long, vectors and determinants, a
/// thread of its own writes while the job verifies and describes its states; all else, and the
/// names of the files, follow when it is known what came of that. What goes wrong is told by
/// finish().
///
/// The thread alone is in HDF5 while it works: checkpoints end with the solution, and a job that
/// lets states stand reads no more by HDF5.
class ResultWriter {
 public:
  ResultWriter(const Configuration& configuration, bool overwrites)
      : configuration_(configuration),
        overwrites_(overwrites),
        reserve_(io::space_to_write(), "the files of results") {}
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// The states must stay until finish() or abandon(). Where address space is limited, nothing is
  /// written before finish(): verification may take what HDF5 then has not got.
  void begin(const job::StandingStates& states);

  /// Waits for what was begun, or does it now, and writes the rest of a job that was begun then, in
  /// UTC. Each file appears whole or not at all.
  void finish(const job::Outcome& found, std::string started);

  /// Waits as well; nothing is left of it.
  void abandon() noexcept { begun_ = {}; }

  /// What would be kept of states in so many rows.
  KeptVectors expected(Index rows, const job::Molecule* molecule) const;
  /// Before they are found: what is told then holds, whatever becomes of the disk. Without a word
  /// it is decided when they are.
  void decide(const KeptVectors& vectors) { kept_ = vectors; }
  const std::optional<KeptVectors>& kept() const { return kept_; }

  /// How long was written while the job did something else.
  double seconds_beside() const { return beside_; }

 private:
  struct Begun {
    io::ResultsFile results;
    std::optional<io::TrexioFile> trexio = {};
    std::exception_ptr trexio_failure = {};  // results are finished all the same
    std::string input = {};                  // its identity
    double seconds = 0;
  };
  Begun write_vectors() const;
  KeptVectors kept_of(Index bytes) const;

  const Configuration& configuration_;
  bool overwrites_;
  base::AddressReserve reserve_;  // until files are written
  double beside_ = 0;
  io::StoredVectors vectors_;
  std::optional<KeptVectors> kept_;
  std::optional<io::StoredSpace> space_;  // that the vectors point to
  io::StoredOrbitals orbitals_;           // likewise
  std::future<Begun> begun_;              // ends before what it reads
};

}  // namespace cisolve::app
