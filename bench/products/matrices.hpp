#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/products/workload.hpp"

namespace cisolve::bench {

/// A named matrix, made when it is needed.
struct NamedMatrix {
  std::string name;
  std::function<sparse::Csr(const base::Backend& host)> make;
};

/// paper, million, ci, lattices, lightspmv, report, quick, or seeds: the published tables, namely
/// paper, million, lightspmv and report. `data` holds the integral files of the ci suite.
std::vector<NamedMatrix> suite(const std::string& name, const std::filesystem::path& data);

const std::vector<std::string>& suite_names();

/// A file by its name: .mtx, .h5 or .hdf5 is a matrix, .yaml the matrix of a configuration; any
/// other word is the name of a matrix of a suite.
NamedMatrix matrix_by_name(const std::string& name, const std::filesystem::path& data);

}  // namespace cisolve::bench
