#pragma once

#include "base/backend.hpp"
#include "job/problem/molecular_space.hpp"
#include "sparse/generate/generator.hpp"
#include "sparse/rows/shape.hpp"

namespace cisolve::job {

/// Hears how large a problem is as soon as that is known, before anything large is filled, and
/// throws for one that cannot be solved.
class FeasibilityCheck {
 public:
  virtual ~FeasibilityCheck() = default;

  /// The dimension, before the space is built.
  virtual void require(const LeastSize& size) = 0;
  /// The space, before rows are made of it.
  virtual void require(const ci::Space& space, const ci::Integrals& integrals) = 0;
  virtual void require(const sparse::GeneratorOptions& options) = 0;
  /// A matrix of which nothing else is known.
  virtual void require(const sparse::MatrixShape& shape) = 0;
  /// So many states of spins at least, with elements that may be computed.
  virtual void require_spins(double states) = 0;

  /// Where the job is to run; waits until it is there.
  virtual base::Backend backend() const = 0;
};

}  // namespace cisolve::job
