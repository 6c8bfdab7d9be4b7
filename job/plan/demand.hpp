#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ci/hamiltonian/factorised/factorised.hpp"
#include "ci/hamiltonian/on_the_fly/cost.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/profile.hpp"

namespace cisolve::job {

/// Estimates for a matrix before it is built.
struct MatrixEstimate {
  double rows = 0;
  double nonzeros = 0;     // lower bound; the diagonal if no more is known
  Index sampled_rows = 0;  // from which they are estimated
  // Set once the rows can be read:
  std::optional<sparse::RowProfile> profile = std::nullopt;
  std::optional<ci::ComputedCost> work = std::nullopt;       // cost of computing elements
  std::optional<ci::FactorisedCost> factors = std::nullopt;  // cost of string matrices
};

/// Bytes held on the host or on the device during a solution.
struct MemoryNeed {
  Index matrix = 0;
  Index vectors = 0;

  bool within(Index limit) const { return vectors <= limit && matrix <= limit - vectors; }
};

/// Rounds bytes to an integer; values above 2^62 are clamped.
Index whole_bytes(double value);

/// Lower bound of the bytes of a matrix in a format.
Index least_matrix_bytes(const sparse::FormatOptions& storage, const MatrixEstimate& counts);

/// Lower bound of the bytes of vectors of `rows` elements that a job holds; on a device, `host`
/// bytes of host memory are available to a staged search space.
Index least_vector_bytes(const Request& request, double rows, bool on_device, Index host);

/// Effect of limited memory on the search space.
struct SearchSpaceEstimate {
  double restart_penalty = 1;  // factor on the number of products: grows as fewer directions fit
                               // besides the states; infinite if none fits
  Index staged = 0;            // bytes of a search space on the host, if the device cannot hold it
  double moved = 0;            // bytes between the two in an iteration
};

/// Estimate for `bytes` of vectors and, on a device, `host` bytes of host memory.
SearchSpaceEstimate estimate_search_space(const Request& request, double rows, Index bytes,
                                          bool on_device, Index host);

/// Remedies for users: if the vectors alone do not fit, if the matrix fits in no format, and if the
/// tables that build it do not fit.
std::string advice_on_vectors(const Request& request);
std::string advice_on_matrix(const Request& request);
std::string advice_on_tables(const Request& request);

}  // namespace cisolve::job
