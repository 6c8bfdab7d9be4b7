#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cisolve::io {

using base::Index;

/// The numbers of one data set, row by row; a set of one dimension has one column. Reals or whole
/// numbers, as docs/results.md says of the set.
struct SavedTable {
  std::string name;  // such as "states/vectors"
  Index rows = 0;
  Index columns = 0;
  std::vector<double> reals = {};
  std::vector<Index> wholes = {};
};

/// The content of a file of results, without its history and provenance.
struct SavedResults {
  std::string method;
  std::string completeness;
  Index dimension = 0;
  Index iterations = 0;
  Index products = 0;
  bool verified = false;
  double orthogonality = 0;
  Index words = 0;                      // of 64 bits for each string; 0: no determinants are there
  std::vector<SavedTable> tables = {};  // those that are there
};

/// Reads results.h5. The file is not trusted: HDF5 reads it in a process of its own (worker.hpp).
/// Throws Fault::bad_input with the file and the object, Fault::resources if its numbers take more
/// memory than there is.
SavedResults read_saved_results(const std::filesystem::path& path);

}  // namespace cisolve::io
