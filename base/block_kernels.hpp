#pragma once

#include <cstdint>
#include <span>

#include "base/backend.hpp"
#include "base/block.hpp"
#include "base/small_matrix.hpp"

namespace cisolve::base {

/// Operations on blocks of vectors, implemented once per backend. Blocks lie in the memory of
/// `backend`, small matrices and factors on the host. Results are bitwise reproducible for any
/// number of threads. Inner products are local to this process; a solver sums them over a
/// Communicator.
class BlockKernels {
 public:
  BlockKernels() = default;
  BlockKernels(const BlockKernels&) = delete;
  BlockKernels& operator=(const BlockKernels&) = delete;
  virtual ~BlockKernels() = default;

  virtual void fill(const Backend& backend, double value, Block y) const = 0;

  /// Uniform in [-1, 1), a function of seed, row and column only: equal on all backends. Rows are
  /// counted from `first_row`, so that parts of a longer block match the whole.
  virtual void randomise(const Backend& backend, std::uint64_t seed, Index first_row,
                         Block y) const = 0;
  void randomise(const Backend& backend, std::uint64_t seed, Block y) const {
    randomise(backend, seed, 0, y);
  }

  virtual void copy(const Backend& backend, ConstBlock x, Block y) const = 0;

  /// y_j = factor_j y_j
  virtual void scale(const Backend& backend, std::span<const double> factors, Block y) const = 0;

  /// y_j = y_j + factor_j x_j
  virtual void axpy(const Backend& backend, std::span<const double> factors, ConstBlock x,
                    Block y) const = 0;

  /// G = X^T Y
  virtual void gram(const Backend& backend, ConstBlock x, ConstBlock y, SmallMatrix& g) const = 0;

  /// Y = alpha X C + beta Y; with beta = 0 the old Y is not read.
  virtual void update(const Backend& backend, double alpha, ConstBlock x, const SmallMatrix& c,
                      double beta, Block y) const = 0;

  /// The same for x in single precision, computed in double.
  virtual void gram(const Backend& backend, ConstSingleBlock x, ConstBlock y,
                    SmallMatrix& g) const = 0;
  virtual void update(const Backend& backend, double alpha, ConstSingleBlock x,
                      const SmallMatrix& c, double beta, Block y) const = 0;

  /// y_j = factor_j x_j, rounded to single precision.
  virtual void scale_to_single(const Backend& backend, std::span<const double> factors,
                               ConstBlock x, SingleBlock y) const = 0;

  /// y = y, rounded to single precision.
  virtual void round_to_single(const Backend& backend, Block y) const = 0;

  /// norms_j = x_j . x_j
  virtual void squared_norms(const Backend& backend, ConstBlock x,
                             std::span<double> norms) const = 0;
};

namespace reference {
const BlockKernels& block_kernels();
}
namespace openmp {
const BlockKernels& block_kernels();
}
namespace cuda {
const BlockKernels& block_kernels();
}

/// The operations of a backend.
const BlockKernels& block_kernels(const Backend& backend);

/// Throws ErrorKind::internal unless the two blocks have the same shape.
void require_same_shape(ConstBlock x, ConstBlock y);

}  // namespace cisolve::base
