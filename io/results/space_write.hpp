#pragma once

#include "io/hdf5/new_file.hpp"
#include "io/results/results.hpp"
#include "io/results/string_words.hpp"

namespace cisolve::io {

/// The group that represents a file's determinants.
enum class SpaceForm { strings, determinants };

/// Writes the input of read_determinants().
SpaceForm write_space(const hdf5::FileContext& context, const hdf5::NewFile& file,
                      const StoredSpace& stored, const WholeStrings& strings);

}  // namespace cisolve::io
