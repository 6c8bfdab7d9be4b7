#pragma once

#include <string>

#include "base/backend.hpp"
#include "sparse/generator.hpp"
#include "sparse/matrix.hpp"

namespace cisolve::app {

using base::Index;

enum class ProblemSource { matrix, generate };

/// One job, complete and checked: what the program does is a function of this alone. The values
/// here are the defaults that the reference page shows; sparse::kAutomatic stands for `auto`.
struct Configuration {
  std::string origin;  // the file, or the command line

  ProblemSource source = ProblemSource::generate;
  std::string matrix;  // the path of a matrix file
  Index reference_columns = sparse::kAutomatic;
  sparse::GeneratorOptions generate{.rows = 4096,
                                    .reference_per_row = sparse::kAutomatic,
                                    .density = 0.01,
                                    .spread = sparse::kAutomatic};

  sparse::FormatOptions storage{.format = "auto"};

  std::string backend = "auto";
  Index threads = sparse::kAutomatic;
  Index memory = sparse::kAutomatic;
  Index device_memory = sparse::kAutomatic;

  struct Product {
    Index vectors = 1;
    Index repeat = 20;
    Index seed = 1;
  } product;

  struct Output {
    std::string directory = "out";
  } output;
};

/// The backend that a configuration asks for, with its budgets; never another one.
base::Backend open_backend(const Configuration& configuration);
base::Backend open_backend(const Configuration& configuration, std::string_view name);

/// The format that is built when the configuration leaves the choice to the program.
sparse::FormatOptions chosen_storage(const Configuration& configuration);

}  // namespace cisolve::app
