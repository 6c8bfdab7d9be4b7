#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ci/factorised/factorised.hpp"
#include "ci/on_the_fly/work.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/profile.hpp"

namespace cisolve::job {

/// What is known of a matrix before it is built.
struct Counts {
  double rows = 0;
  double nonzeros = 0;     // at least; the diagonal, where no more is known
  Index sampled_rows = 0;  // that told of them
  std::optional<sparse::RowProfile> profile = std::nullopt;  // once the rows can be read
  std::optional<ci::ProductWork> work = std::nullopt;        // to compute them, likewise
  std::optional<ci::FactorWork> factors = std::nullopt;      // of string matrices, likewise
};

/// Bytes of what lies on the host or on the device while a job solves.
struct Demand {
  Index matrix = 0;
  Index vectors = 0;

  bool within(Index limit) const { return vectors <= limit && matrix <= limit - vectors; }
};

/// Bytes beyond 64 bits are as good as the most that there are.
Index whole_bytes(double value);

/// Bytes of a matrix in a format, at least.
Index least_matrix(const sparse::FormatOptions& storage, const Counts& counts);

/// Bytes of the vectors that a job holds at least, of so many rows; on a device, where its host has
/// so many bytes for others.
Index least_vectors(const Request& request, double rows, bool on_device, Index host);

/// How a solution gets on.
struct Solving {
  double crowding = 1;  // times the products: the fewer directions a search space has beside the
                        // states, the more; infinitely many where it has none
  Index staged = 0;     // bytes of a search space on the host, where the device has no room for it
  double moved = 0;     // bytes between the two in an iteration
};

/// With so many bytes for vectors, and of the host beside a device.
Solving solving_within(const Request& request, double rows, Index bytes, bool on_device,
                       Index host);

/// What helps where the vectors alone are too many, where no format holds the matrix, and where
/// what is made to build it does not fit.
std::string advice_on_vectors(const Request& request);
std::string advice_on_matrix(const Request& request);
std::string advice_on_tables(const Request& request);

}  // namespace cisolve::job
