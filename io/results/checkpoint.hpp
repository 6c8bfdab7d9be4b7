#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/multivector.hpp"
#include "base/ranks/layout.hpp"

// HDF5 schema of a checkpoint, version 1:
//   /            attributes format = "ci-solve checkpoint", schema = 1, program, version
//   /checkpoint  attributes input (description of the problem), input_sha256 of that text,
//                sequence, iterations, products, rows, columns_count
//   /checkpoint/energies (float64), basis (float64, columns_count vectors one after the other, the
//   rows of each in canonical order)
// All metadata and data carry checksums.
namespace cisolve::io {

using base::Index;

/// The state of a running solution, in host memory.
struct StoredCheckpoint {
  std::string input;   // one line per fact that determines the matrix
  Index sequence = 0;  // the higher of two is newer
  Index iterations = 0;
  Index products = 0;
  std::vector<double> energies = {};
  base::MultiVector basis;
  base::Layout layout;  // layout of the vectors' rows
};

/// A checkpoint to be written, with vectors that need not be in memory as a whole.
struct CheckpointToWrite {
  std::string input;
  Index sequence = 0;
  Index iterations = 0;
  Index products = 0;
  std::vector<double> energies = {};
  Index rows = 0;
  Index columns = 0;
  Index bytes() const { return rows * columns * Index{sizeof(double)}; }
  /// Passes all elements in pieces, vector by vector, in canonical order.
  std::function<void(const std::function<void(std::span<const double>)>&)> stream_vectors;
  /// Polled repeatedly; writing is cancelled if it returns false.
  std::function<bool()> should_continue = [] { return true; };
};

/// Replaces the file at the path. The new file is synced and read back before it is renamed; on
/// failure the old one remains. Throws ErrorKind::cannot_write.
void write_checkpoint(const std::filesystem::path& path, const CheckpointToWrite& checkpoint);

/// Throws ErrorKind::internal unless the vectors are whole (base::whole_vectors).
void write_checkpoint(const std::filesystem::path& path, const StoredCheckpoint& checkpoint);

/// The file is not trusted: HDF5 reads it in a process of its own (worker.hpp), and the contents
/// are validated. ErrorKind::bad_input names the file and the object.
StoredCheckpoint read_checkpoint(const std::filesystem::path& path, const base::Backend& host);

/// Reads the sequence only; the vectors may turn out to be damaged. Throws like read_checkpoint().
Index read_checkpoint_sequence(const std::filesystem::path& path);

}  // namespace cisolve::io
