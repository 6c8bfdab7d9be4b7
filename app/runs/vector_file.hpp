#pragma once

#include <string>

#include "base/multivector.hpp"

// Blocks of vectors as text: a line a row, a number for each vector.
namespace cisolve::app {

/// Throws Fault::bad_input with the line for anything but `rows` lines of as many numbers each;
/// blank lines and lines that begin with # are passed over.
base::MultiVector read_vectors(const std::string& path, base::Index rows,
                               const base::Backend& host);

/// Numbers are the shortest text of the same bits.
std::string vectors_as_text(base::ConstBlock vectors);

}  // namespace cisolve::app
