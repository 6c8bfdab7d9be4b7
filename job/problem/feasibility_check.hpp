#pragma once

#include "base/backend.hpp"
#include "job/problem/molecular_space.hpp"
#include "sparse/generate/generator.hpp"
#include "sparse/rows/shape.hpp"

namespace cisolve::job {

/// Receives the size of a problem as soon as it is known, before anything large is filled, and
/// throws if it cannot be solved.
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
  /// A lower bound of the number of site states, whose elements may be computed.
  virtual void require_spins(double states) = 0;

  /// The backend of the job; waits until it is ready.
  virtual base::Backend backend() const = 0;
};

}  // namespace cisolve::job
