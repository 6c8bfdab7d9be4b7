#pragma once

#include <string>

#include "io/hdf5/attributes.hpp"
#include "io/hdf5/context.hpp"
#include "io/hdf5/dataset_reader.hpp"

namespace cisolve::io {

/// Opens a results file in a worker; refuses other formats.
inline auto open_results(const hdf5::FileContext& context) {
  auto file = hdf5::open_file(context);
  const std::string format = hdf5::read_text(context, file, "format", "/");
  if (format != "ci-solve results")
    context.refuse("/", "the format is '", format, "'; expected 'ci-solve results'");
  return file;
}

}  // namespace cisolve::io
