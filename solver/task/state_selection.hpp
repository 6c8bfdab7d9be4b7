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

/// Selects the states of largest weight in the span of these vectors. Each rank gives its own rows
/// or, on every rank, all of them.
struct Target {
  base::MultiVector vectors;  // on any backend; need not be orthonormal
  base::Layout layout;        // layout of the vectors' rows
};

/// Selection of states other than the lowest: those of largest weight in a target, or nearest to an
/// energy.
class StateSelection {
 public:
  /// Null for the lowest states. Throws ErrorKind::bad_input if the target is zero.
  static std::unique_ptr<const StateSelection> of(const Options& options, Vectors& vectors);

  /// The energy; none with a target.
  std::optional<double> energy() const { return energy_; }

  /// T, orthonormal; no columns with an energy.
  ConstColumns target() const { return columns_of(target_, 0, count_); }

  /// Weights |T^T x|^2 of vectors x, from T^T X.
  static std::vector<double> weights(const SmallMatrix& overlaps);

  /// Indices of all vectors: the wanted ones first, ascending by value, then the others by distance
  /// from the nearest wanted one: a search space that drops these does not converge. Of equal
  /// weights the lower value comes first.
  static std::vector<int> order(std::span<const double> values, std::span<const double> weights,
                                int wanted);

  /// Like order(), but the wanted ones have the least distances.
  static std::vector<int> nearest(std::span<const double> values, std::span<const double> distances,
                                  int wanted);

  /// Indices of the `count` values nearest to an energy, ascending.
  static std::vector<int> nearest_to(double energy, std::span<const double> values, int count);

 private:
  StateSelection(double energy, const Vectors& vectors);
  StateSelection(const Target& target, Vectors& vectors);

  std::optional<double> energy_;
  base::MultiVector target_;
  int count_ = 0;
};

}  // namespace cisolve::solver
