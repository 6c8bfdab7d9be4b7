#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/multivector.hpp"
#include "base/ranks/layout.hpp"

// The project's own HDF5 schema of a checkpoint, version 1:
//   /            attributes format = "ci-solve checkpoint", schema = 1, program, version
//   /checkpoint  attributes input (what is being solved, as text), input_sha256 of that text,
//                sequence, iterations, products, rows, columns_count
//   /checkpoint/energies (float64), basis (float64, columns_count vectors one after the other, the
//   rows of each in canonical order)
// All metadata and data carry checksums.
namespace cisolve::io {

using base::Index;

/// The state of a solution that is under way, in the host's memory.
struct StoredCheckpoint {
  std::string input;   // a line for each fact on which the matrix depends
  Index sequence = 0;  // the higher of two is the newer
  Index iterations = 0;
  Index products = 0;
  std::vector<double> energies = {};
  base::MultiVector basis;
  base::Layout layout;  // of its rows
};

/// The same as it is written, by vectors that need not be in memory as a whole.
struct CheckpointToWrite {
  std::string input;
  Index sequence = 0;
  Index iterations = 0;
  Index products = 0;
  std::vector<double> energies = {};
  Index rows = 0;
  Index columns = 0;
  Index bytes() const { return rows * columns * Index{sizeof(double)}; }
  /// Gives the elements of one vector after the other, each in canonical order, some at a time.
  std::function<void(const std::function<void(std::span<const double>)>&)> tell_vectors;
  /// Asked now and then: where the answer is no, this one is given up.
  std::function<bool()> goes_on = [] { return true; };
};

/// Replaces what is at the path. The file is on the disk and has been read back before it gets its
/// name; when anything fails, what was there stays whole. Faults are Fault::cannot_write.
void write_checkpoint(const std::filesystem::path& path, const CheckpointToWrite& checkpoint);

/// Vectors that are not whole (base::whole_vectors) are Fault::internal.
void write_checkpoint(const std::filesystem::path& path, const StoredCheckpoint& checkpoint);

/// The file is not trusted: HDF5 reads it in a process of its own (worker.hpp), and its contents
/// are checked. Fault::bad_input names the file and the object.
StoredCheckpoint read_checkpoint(const std::filesystem::path& path, const base::Backend& host);

/// The sequence of a file that may turn out to be damaged where it holds its vectors; with the same
/// faults.
Index read_checkpoint_sequence(const std::filesystem::path& path);

}  // namespace cisolve::io
