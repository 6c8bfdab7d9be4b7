#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cisolve::io {

using base::Index;

/// One data set, row by row; a one-dimensional set has one column. It holds reals or integers, as
/// docs/results.md specifies.
struct SavedTable {
  std::string name;  // full name, such as "states/vectors"
  Index rows = 0;
  Index columns = 0;
  std::vector<double> reals = {};
  std::vector<Index> wholes = {};
};

/// Contents of a results file without history and provenance.
struct SavedResults {
  std::string method;
  std::string completeness;
  Index dimension = 0;
  Index iterations = 0;
  Index products = 0;
  bool verified = false;
  double orthogonality = 0;
  Index words = 0;                      // 64-bit words per string; 0: no determinants
  std::vector<SavedTable> tables = {};  // existing ones
};

/// Reads results.h5. The file is not trusted: HDF5 reads it in a process of its own (worker.hpp).
/// Throws ErrorKind::bad_input with file and object, ErrorKind::resources if memory does not
/// suffice.
SavedResults read_saved_results(const std::filesystem::path& path);

}  // namespace cisolve::io
