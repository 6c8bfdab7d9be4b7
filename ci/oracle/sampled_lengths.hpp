#pragma once

#include <array>

#include "ci/fock/spaces/space.hpp"

// Estimates of the number of elements of a Hamiltonian from a sample of rows, in a fraction of a
// second and before any table is built.
namespace cisolve::ci {

/// Statistics of sampled row lengths.
struct SampledLengths {
  Index rows = 0;    // sampled rows
  double mean = 0;   // elements per row
  double error = 0;  // standard error of the mean; 0 if all rows were sampled

  /// A lower bound on the elements of `all_rows` rows at six standard errors; at least the
  /// diagonal.
  double lower_bound(Index all_rows) const;
};

/// Numbers of strings and of electrons, alpha first.
struct StringCounts {
  std::array<double, 2> strings{};
  std::array<double, 2> electrons{};
};
StringCounts strings_of(const Space& space);

/// Host bytes of the strings, and of the temporary tables of the search for their connections.
double string_bytes(const StringCounts& counts);
double connection_search_bytes(const StringCounts& counts);

/// Upper bound on the elements of a row by the Slater-Condon rules alone.
double longest_row(const Space& space);

/// Samples rows by stratified random choice (fixed seed), fewer if rows are expensive. Off-diagonal
/// elements of size <= threshold are not counted.
SampledLengths sample_rows(const Space& space, const Integrals& integrals, double threshold);

}  // namespace cisolve::ci
