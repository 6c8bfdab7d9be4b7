#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/backend.hpp"
#include "base/block.hpp"
#include "base/text.hpp"
#include "bench/products/workload.hpp"

// Interface of the kernels in the benchmark of products. docs/benchmarks.md shows how to add one.
namespace cisolve::bench {

/// A matrix in the form that a kernel multiplies. The parts of the workload that it refers to must
/// outlive it.
class PreparedMatrix {
 public:
  PreparedMatrix() = default;
  PreparedMatrix(const PreparedMatrix&) = delete;
  PreparedMatrix& operator=(const PreparedMatrix&) = delete;
  virtual ~PreparedMatrix() = default;

  /// Bytes of the matrix in this form, which a product reads once, without vectors and workspace.
  virtual Index bytes() const = 0;

  /// Called before the first product, not timed: for kernels that need x or y in another layout or
  /// precision. x is unchanged until the last product.
  virtual void load(base::ConstBlock /*x*/, base::ConstBlock /*y*/) {}

  /// y = alpha A x + beta y, queued on the backend; with beta = 0 the old y is not read.
  virtual void multiply(double alpha, base::ConstBlock x, double beta, base::Block y) = 0;

  /// Called after the last product, not timed: returns y as doubles if load() converted it.
  virtual void store(base::Block /*y*/) {}
};

/// A Prepared made of its bytes and a callable, which owns its captures.
template <class Multiply>
class PreparedOf final : public PreparedMatrix {
 public:
  PreparedOf(Index bytes, Multiply multiply) : bytes_(bytes), multiply_(std::move(multiply)) {}
  Index bytes() const override { return bytes_; }
  void multiply(double alpha, base::ConstBlock x, double beta, base::Block y) override {
    multiply_(alpha, x, beta, y);
  }

 private:
  Index bytes_;
  Multiply multiply_;
};

template <class Multiply>
std::unique_ptr<PreparedMatrix> prepared(Index bytes, Multiply multiply) {
  return std::make_unique<PreparedOf<Multiply>>(bytes, std::move(multiply));
}

enum class Precision { double_precision, single_precision };

/// A product method: its name, its backend, its limits, and the preparation of a matrix.
struct Kernel {
  std::string name;  // such as "cuda/merge-path"; unique together with the threads
  base::BackendKind backend = base::BackendKind::openmp;
  int threads = 0;  // threads on the host; 0 is all of them
  Precision precision = Precision::double_precision;

  /// Reason why it cannot multiply a matrix with this number of vectors; empty if it can; unset:
  /// it always can.
  std::function<std::string(const Workload&, int vectors)> obstacle = {};

  std::function<std::unique_ptr<PreparedMatrix>(const Workload&, const base::Backend&, int vectors)>
      prepare = {};

  std::string refusal(const Workload& matrix, int vectors) const {
    return obstacle ? obstacle(matrix, vectors) : std::string();
  }
};

/// The reason why a kernel of a single vector does not multiply several; empty for one.
inline std::string one_vector_only(const Workload& /*matrix*/, int vectors) {
  return vectors == 1 ? "" : "takes one vector at a time";
}

}  // namespace cisolve::bench
