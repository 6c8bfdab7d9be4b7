#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/backend.hpp"
#include "ci/fock/spaces/determinant_index.hpp"

namespace cisolve::io {

/// Value of ListSector::alpha or beta for HDF5 lists: take the number from the first determinant.
inline constexpr int kAsFirst = -1;

/// Requirements on every determinant of a list.
struct ListSector {
  int orbitals = 0;
  int alpha = 0;
  int beta = 0;
  /// Further check: returns the determinant's problem as the end of a sentence, or an empty text.
  /// Called by several threads.
  std::function<std::string(const ci::Determinant&)> problem = nullptr;
};

/// The problem of a determinant as the end of a sentence, such as " has 2 alpha and ..."; empty if
/// there is none.
std::string problem_of(const ci::Determinant& determinant, const ListSector& sector);
/// The problem of a string, which must have sector.alpha electrons.
std::string problem_of(const ci::String& string, const ListSector& sector);

/// Reads a list of determinants:
///   text    one per line, in a form of ci::parse_determinant(), all of the same length; blank
///           lines and lines that begin with # are skipped
///   TREXIO  /determinant/determinant_list: for each, the alpha words, then the beta words; bit 0
///           of the first word is orbital 1
///   HDF5    group determinants with the attribute orbitals and the data sets alpha and beta: int64
///           bit fields, ceil(orbitals / 64) words per determinant
/// A determinant with a problem, or one that occurs twice, is ErrorKind::bad_input with its number,
/// from 1, and in text its line.
ci::DeterminantIndex read_determinant_list(const std::filesystem::path& path,
                                           const ListSector& sector, const base::Backend& host);
/// Reads a list as determinants in the order of the file.
std::vector<ci::Determinant> read_determinants(const std::filesystem::path& path,
                                               const ListSector& sector, const base::Backend& host);

/// Reads distinct bit strings from a text, one per line, orbital 1 at the right, each with
/// sector.alpha electrons. sector.problem is called with the string as alpha and beta string.
std::vector<ci::String> read_strings(const std::filesystem::path& path, const ListSector& sector,
                                     const base::Backend& host);

}  // namespace cisolve::io
