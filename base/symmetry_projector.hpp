#pragma once

#include "base/operator.hpp"

namespace cisolve::base {

/// Projection onto a symmetry of an operator whose products with vectors of that symmetry cost
/// less. Such an operator derives from LinearOperator and from this class; LinearOperator does not
/// know of projectors. MeteredOperator and RemoteProduct look it up once, by of(), and hold it
/// beside the operator.
class SymmetryProjector {
 public:
  SymmetryProjector() = default;
  SymmetryProjector(const SymmetryProjector&) = delete;
  SymmetryProjector& operator=(const SymmetryProjector&) = delete;

  /// The projector that `a` is, too; null if it has none.
  static const SymmetryProjector* of(const LinearOperator& a) {
    return dynamic_cast<const SymmetryProjector*>(&a);
  }

  /// Removes the component of the minor symmetry from each vector, in place. Does nothing and
  /// returns 0 if that component exceeds `max_fraction` (0 to 1) of the norm of the major one for
  /// any vector; otherwise returns the largest fraction removed. Memory and ranks as for
  /// LinearOperator::apply().
  virtual double project_symmetry(double max_fraction, Block x) const = 0;

 protected:
  ~SymmetryProjector() = default;
};

}  // namespace cisolve::base
