#pragma once

#include <array>

#include "ci/spaces/space.hpp"

// How many elements a Hamiltonian has, before any table of it is made: from the determinants of a
// few rows, in a fraction of a second.
namespace cisolve::ci {

/// What the lengths of some rows say of all.
struct SampledLengths {
  Index rows = 0;    // that were looked at
  double mean = 0;   // elements of one
  double error = 0;  // the standard error of the mean; 0 where these are all rows

  /// What so many rows have at least, but for an accident of six standard errors. Each has its
  /// diagonal.
  double least_of(Index all_rows) const;
};

/// Strings of each spin, alpha first, and the electrons in each.
struct StringCounts {
  std::array<double, 2> strings{};
  std::array<double, 2> electrons{};
};
StringCounts strings_of(const Space& space);

/// Bytes of the host that the strings take, and the search for their connections beside them.
double string_bytes(const StringCounts& counts);
double search_bytes(const StringCounts& counts);

/// The elements of a row at most, by the Slater-Condon rules alone.
double longest_row(const Space& space);

/// Rows that lie evenly over the space, fewer where each takes long; the same ones each time.
/// Elements of at most `threshold` are not counted, but for the diagonal.
SampledLengths sample_rows(const Space& space, const Integrals& integrals, double threshold);

}  // namespace cisolve::ci
