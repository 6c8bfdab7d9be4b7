#pragma once

#include <string>

#include "base/block.hpp"
#include "base/types.hpp"

namespace cisolve::base {

struct OperatorDescription {
  std::string format = "user";
  Index bytes_held = 0;
  Index bytes_moved = 0;  // per product with one vector
  Index flops = 0;        // likewise
};

/// A symmetric matrix as an eigensolver sees it. Blocks lie in the memory of the backend on which
/// the solver runs. A user's own operator overrides rows() and apply(). Where ranks share the work,
/// rows and blocks are the share of one of them, and apply() is called on all of them together.
class LinearOperator {
 public:
  LinearOperator() = default;
  LinearOperator(const LinearOperator&) = delete;
  LinearOperator& operator=(const LinearOperator&) = delete;
  virtual ~LinearOperator() = default;

  virtual Index rows() const = 0;

  /// y = A x for a block of vectors; x and y do not overlap. A solver waits before for all that it
  /// has queued on a device; what is queued here on any stream but the backend's has to be waited
  /// for.
  virtual void apply(ConstBlock x, Block y) const = 0;

  /// Writes the diagonal into the one column of `d` and returns true; false where it is not known.
  virtual bool diagonal(Block /*d*/) const { return false; }

  /// For an operator with a symmetry by which products cost less: takes from each vector the part
  /// that has it otherwise than the rest, where its norm is for none of them more than `share` of
  /// that of the rest. Returns the largest share that it took.
  virtual double purify(double /*share*/, Block /*x*/) const { return 0; }

  virtual OperatorDescription description() const { return {}; }
};

}  // namespace cisolve::base
