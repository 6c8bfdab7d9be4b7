#pragma once

#include <filesystem>
#include <vector>

#include "ci/fock/models/terms.hpp"

namespace cisolve::io {

/// Reads the terms of a model from a text, one per line: two sites from 1, a strength and a kind,
/// such as "1 2 0.5 J"; # begins a comment. Throws ErrorKind::bad_input with file and line.
std::vector<ci::Term> read_terms(const std::filesystem::path& path);

}  // namespace cisolve::io
