#pragma once

#include <memory>
#include <string>

#include "app/config/configuration.hpp"
#include "sparse/row_source.hpp"

namespace cisolve::app {

/// The rows of a configuration's matrix: generated when they are asked for, or read from its file.
std::unique_ptr<sparse::RowSource> open_rows(const Configuration& configuration,
                                             const base::Backend& host);

/// The generator's options with a number for every `auto`.
sparse::GeneratorOptions generator_options(const Configuration& configuration);

/// "generated, seed 1" or the file.
std::string describe_source(const Configuration& configuration);

}  // namespace cisolve::app
