#pragma once

#include "io/hdf5/new_file.hpp"
#include "io/results/results.hpp"
#include "io/results/string_words.hpp"

namespace cisolve::io {

/// The group of a file that holds its determinants: as products of alpha and beta strings, or each
/// one.
enum class SpaceForm { strings, determinants };

/// Writes the determinants of a space for read_determinants(), and returns the form: strings if
/// these take less space.
SpaceForm write_space(const hdf5::FileContext& context, const hdf5::NewFile& file,
                      const StoredSpace& stored, const WholeStrings& strings);

}  // namespace cisolve::io
