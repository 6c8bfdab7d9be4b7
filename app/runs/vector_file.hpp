#pragma once

#include <string>

#include "base/multivector.hpp"

// Blocks of vectors as text: one line per row, one number per vector.
namespace cisolve::app {

/// Throws ErrorKind::bad_input with the line unless there are `rows` lines of equally many numbers;
/// blank lines and lines that begin with # are skipped.
base::MultiVector read_vectors(const std::string& path, base::Index rows,
                               const base::Backend& host);

/// Numbers are the shortest text of the same bits.
std::string vectors_as_text(base::ConstBlock vectors);

}  // namespace cisolve::app
