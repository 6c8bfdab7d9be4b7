#pragma once

#include <memory>

#include "base/operator.hpp"
#include "solver/task/snapshot.hpp"
#include "solver/vectors/problem.hpp"
#include "solver/vectors/vectors.hpp"

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
  /// How they are shared out among the ranks of the whole; as that of a Problem.
  virtual base::Layout layout() const { return {}; }
  virtual const ModelBlock& model_block() const = 0;
  /// An energy that the lowest state does not exceed.
  virtual double lowest() const = 0;
  /// Of ranks each has its rows of either; all call it together.
  virtual void expand(base::ConstBlock part, base::Block whole) const = 0;
  /// What a column of vectors of the whole has in the part, given as to Vectors::from().
  virtual void contract(const Vectors& whole, const base::MultiVector& given,
                        const base::Layout& layout, int column, base::Block part) const = 0;
  /// What it holds of the host's memory and leaves alone between products.
  virtual Snapshot::Room room() const { return {}; }
};

/// Of two parts, the likely one is that which most likely has the lowest state, or more of a start.
enum class ParitySide { likely, other };

/// Both parts at once, in memory that their products share.
class BothParts {
 public:
  BothParts() = default;
  BothParts(const BothParts&) = delete;
  BothParts& operator=(const BothParts&) = delete;
  virtual ~BothParts() = default;

  virtual const Part& part(ParitySide side) const = 0;

  // One vector of a part to be multiplied, and its image: idle memory until the next product of
  // either part.
  virtual base::Block source(ParitySide side) const = 0;
  virtual base::Block image(ParitySide side) const = 0;

  /// image = (A - shift) source in one of them, or in both by less work than one after the other.
  /// What the sources were is lost.
  virtual void multiply(ParitySide side, double shift) const = 0;
  virtual void multiply_both(double shift) const = 0;
};

/// Two parts that are the whole together.
class Parts {
 public:
  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  virtual ~Parts() = default;

  // One of these at a time, for they may hold much.
  virtual std::unique_ptr<const Part> make(ParitySide side) const = 0;
  virtual std::unique_ptr<const BothParts> make_both() const = 0;

  /// Of either part. May be asked on another thread while parts are made and worked on.
  virtual const ModelBlock& elements(ParitySide side) const = 0;

  /// In the host's memory: a whole vector, of all ranks, of one of a part.
  virtual void expand(ParitySide side, const double* part, double* whole) const = 0;
};

}  // namespace cisolve::solver
