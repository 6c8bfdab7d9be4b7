#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/backend.hpp"
#include "ci/spaces/list_order.hpp"

namespace cisolve::io {

/// What every determinant of a list must have.
struct ListSector {
  int orbitals = 0;
  int alpha = 0;
  int beta = 0;
  /// What else may be wrong with one, to stand behind its name; empty where nothing is. Many
  /// threads ask.
  std::function<std::string(const ci::Determinant&)> problem = nullptr;
};

/// The fault of a determinant, to stand behind its name: " has 2 alpha and ..."; empty if it has
/// none.
std::string problem_of(const ci::Determinant& determinant, const ListSector& sector);
/// Likewise with a string of a spin, whose electrons are `sector.alpha`.
std::string problem_of(const ci::String& string, const ListSector& sector);

/// Reads a list of determinants:
///   text    one a line, as ci::parse_determinant() takes them, all of the same length; blank lines
///           and lines that begin with # are passed over
///   TREXIO  /determinant/determinant_list: the alpha words, then the beta words of each, bit 0 of
///           the first word is orbital 1
///   HDF5    group determinants with the attribute orbitals and the data sets alpha and beta, int64
///           bit fields, as many words for each determinant as the orbitals need
/// A determinant with another problem than none, or one that comes twice, is Fault::bad_input with
/// its number, from 1, and in text its line.
ci::ListOrder read_determinant_list(const std::filesystem::path& path, const ListSector& sector,
                                    const base::Backend& host);
/// The same in the order of the file.
std::vector<ci::Determinant> read_determinants(const std::filesystem::path& path,
                                               const ListSector& sector, const base::Backend& host);

/// Reads a text of bit strings, one a line, orbital 1 at the right, each with the alpha electrons
/// of a sector, and none twice. Their problems are those of a determinant of two such strings.
std::vector<ci::String> read_strings(const std::filesystem::path& path, const ListSector& sector,
                                     const base::Backend& host);

}  // namespace cisolve::io
