#pragma once

#include "io/hdf5/new_file.hpp"
#include "io/results/results.hpp"
#include "io/results/string_words.hpp"

namespace cisolve::io {

/// By which group a file says what determinants it has.
enum class SpaceForm { strings, determinants };

/// Writes what read_determinants() takes.
SpaceForm write_space(const hdf5::FileContext& context, const hdf5::NewFile& file,
                      const StoredSpace& stored, const WholeStrings& strings);

}  // namespace cisolve::io
