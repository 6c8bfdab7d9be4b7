#pragma once

#include <memory>

#include "solver/methods/solve.hpp"

namespace cisolve::solver {

/// Vectors that an operator leaves among themselves, such as those of one symmetry, by fewer
/// numbers than they have elements, so that inner products are the same.
class Part {
 public:
  Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  virtual ~Part() = default;

  /// Of these vectors, on the backend of the whole.
  virtual const base::LinearOperator& matrix() const = 0;
  virtual const ModelBlock& model_block() const = 0;
  /// An energy that the lowest state does not exceed.
  virtual double lowest() const = 0;
  virtual void expand(base::ConstBlock part, base::Block whole) const = 0;
  /// What it holds of the host's memory and leaves alone between products.
  virtual Snapshot::Room room() const { return {}; }
};

/// Two parts that are the whole together.
class Parts {
 public:
  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  virtual ~Parts() = default;

  /// The likely one is that which most likely has the lowest state, or more of a start.
  enum class Side { likely, other };

  /// One at a time, for it may hold much.
  virtual std::unique_ptr<const Part> make(Side side) const = 0;

  // In the host's memory: a whole vector of one of a part, and what a whole one has in the part.
  virtual void expand(Side side, const double* part, double* whole) const = 0;
  virtual void contract(Side side, const double* whole, double* part) const = 0;
};

/// The lowest state of a problem of one process, found in one of its parts and searched for in both
/// of them: what lies below in the other one is found there. Where no search looks into that, its
/// lowest state is followed until it is clearly above, or found. Vectors take the memory of a part
/// but for the state in the end. Checkpoints are those of a part.
Result solve_by_parts(const Parts& parts, const Problem& whole, const Options& options,
                      Observer* observer = nullptr, const Checkpoint* start = nullptr);

}  // namespace cisolve::solver
