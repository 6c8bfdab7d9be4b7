#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/multivector.hpp"
#include "base/ranks/layout.hpp"
#include "solver/task/options.hpp"
#include "solver/vectors/small_eigen.hpp"
#include "solver/vectors/vectors.hpp"

namespace cisolve::solver {

/// Vectors that say which states are wanted: those with the largest weight in what they span. Each
/// rank gives its own rows or, on every rank, all of them.
struct Target {
  base::MultiVector vectors;  // on any backend; need not be orthonormal
  base::Layout layout;        // of their rows
};

/// Which of many vectors with values are wanted, where these are not the lowest: those of most
/// weight in a target, or those nearest to an energy.
class Wanted {
 public:
  /// Null where the lowest are wanted. Throws Fault::bad_input for a target that is zero.
  static std::unique_ptr<const Wanted> of(const Options& options, Vectors& vectors);

  /// None where a target says what is wanted.
  std::optional<double> energy() const { return energy_; }

  /// T, orthonormal; no columns where an energy says it.
  ConstColumns target() const { return columns_of(target_, 0, count_); }

  /// Weights |T^T x|^2 of vectors x, from T^T X.
  static std::vector<double> weights(const SmallMatrix& overlaps);

  /// The numbers of all vectors: the wanted ones first, by their values, then the others, the
  /// nearest of these to one of them first: a search space that forgets them does not converge. Of
  /// two that weigh as much the lower one is taken.
  static std::vector<int> order(std::span<const double> values, std::span<const double> weights,
                                int wanted);

  /// Likewise, the wanted ones being those at the least distance.
  static std::vector<int> nearest(std::span<const double> values, std::span<const double> distances,
                                  int wanted);

  /// The numbers of the `count` values nearest to an energy, ascending.
  static std::vector<int> nearest_to(double energy, std::span<const double> values, int count);

 private:
  Wanted(double energy, const Vectors& vectors);
  Wanted(const Target& target, Vectors& vectors);

  std::optional<double> energy_;
  base::MultiVector target_;
  int count_ = 0;
};

}  // namespace cisolve::solver
