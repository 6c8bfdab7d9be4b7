#pragma once

#include <string>

#include "base/block.hpp"
#include "base/types.hpp"

namespace cisolve::base {

struct OperatorDescription {
  std::string format = "user";
  Index bytes_held = 0;
  Index bytes_moved = 0;  // per product with one vector
  Index flops = 0;        // per product with one vector
};

/// Symmetric matrix, in the form that an eigensolver uses. Blocks lie in the memory of the solver's
/// backend. A user's operator overrides rows() and apply(). With several ranks, rows and blocks are
/// those of one rank, and apply() is collective.
class LinearOperator {
 public:
  LinearOperator() = default;
  LinearOperator(const LinearOperator&) = delete;
  LinearOperator& operator=(const LinearOperator&) = delete;
  virtual ~LinearOperator() = default;

  virtual Index rows() const = 0;

  /// y = A x for a block of vectors; x and y do not overlap. The solver's queued device work is
  /// complete on entry; work queued here on any stream but the backend's must be complete on
  /// return.
  virtual void apply(ConstBlock x, Block y) const = 0;

  /// Writes the diagonal into the one column of `d` and returns true; returns false if it is
  /// unknown.
  virtual bool diagonal(Block /*d*/) const { return false; }

  virtual OperatorDescription description() const { return {}; }
};

}  // namespace cisolve::base
