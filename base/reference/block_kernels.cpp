#include "base/block_kernels.hpp"

#include "base/random.hpp"

// Serial; each operation follows its formula, with sums over rows in extended precision: the
// reference for other backends.
namespace cisolve::base::reference {
namespace {

template <class X>
void gram_of(BasicBlock<const X> x, ConstBlock y, SmallMatrix& g) {
  for (int b = 0; b < y.columns; ++b)
    for (int a = 0; a < x.columns; ++a) {
      long double sum = 0;
      for (Index i = 0; i < x.rows; ++i) sum += x(i, a) * y(i, b);
      g(a, b) = static_cast<double>(sum);
    }
}

template <class X>
void update_by(double alpha, BasicBlock<const X> x, const SmallMatrix& c, double beta, Block y) {
  for (int b = 0; b < y.columns; ++b)
    for (Index i = 0; i < y.rows; ++i) {
      double sum = 0;
      for (int a = 0; a < x.columns; ++a) sum += x(i, a) * c(a, b);
      y(i, b) = beta == 0 ? alpha * sum : alpha * sum + beta * y(i, b);
    }
}

class ReferenceKernels final : public BlockKernels {
 public:
  void fill(const Backend& /*backend*/, double value, Block y) const override {
    for (int j = 0; j < y.columns; ++j)
      for (Index i = 0; i < y.rows; ++i) y(i, j) = value;
  }

  using BlockKernels::randomise;
  void randomise(const Backend& /*backend*/, std::uint64_t seed, Index first_row,
                 Block y) const override {
    for (int j = 0; j < y.columns; ++j)
      for (Index i = 0; i < y.rows; ++i)
        y(i, j) = symmetric_interval(mix(mix(seed, static_cast<std::uint64_t>(j)),
                                         static_cast<std::uint64_t>(first_row + i)));
  }

  void copy(const Backend& /*backend*/, ConstBlock x, Block y) const override {
    require_same_shape(x, y);
    for (int j = 0; j < y.columns; ++j)
      for (Index i = 0; i < y.rows; ++i) y(i, j) = x(i, j);
  }

  void scale(const Backend& /*backend*/, std::span<const double> factors, Block y) const override {
    for (int j = 0; j < y.columns; ++j)
      for (Index i = 0; i < y.rows; ++i) y(i, j) *= factors[j];
  }

  void axpy(const Backend& /*backend*/, std::span<const double> factors, ConstBlock x,
            Block y) const override {
    require_same_shape(x, y);
    for (int j = 0; j < y.columns; ++j)
      for (Index i = 0; i < y.rows; ++i) y(i, j) += factors[j] * x(i, j);
  }

  void gram(const Backend& /*backend*/, ConstBlock x, ConstBlock y, SmallMatrix& g) const override {
    gram_of(x, y, g);
  }

  void gram(const Backend& /*backend*/, ConstSingleBlock x, ConstBlock y,
            SmallMatrix& g) const override {
    gram_of(x, y, g);
  }

  void update(const Backend& /*backend*/, double alpha, ConstBlock x, const SmallMatrix& c,
              double beta, Block y) const override {
    update_by(alpha, x, c, beta, y);
  }

  void update(const Backend& /*backend*/, double alpha, ConstSingleBlock x, const SmallMatrix& c,
              double beta, Block y) const override {
    update_by(alpha, x, c, beta, y);
  }

  void scale_to_single(const Backend& /*backend*/, std::span<const double> factors, ConstBlock x,
                       SingleBlock y) const override {
    for (int j = 0; j < y.columns; ++j)
      for (Index i = 0; i < y.rows; ++i) y(i, j) = static_cast<float>(factors[j] * x(i, j));
  }

  void round_to_single(const Backend& /*backend*/, Block y) const override {
    for (int j = 0; j < y.columns; ++j)
      for (Index i = 0; i < y.rows; ++i) y(i, j) = static_cast<float>(y(i, j));
  }

  void squared_norms(const Backend& /*backend*/, ConstBlock x,
                     std::span<double> norms) const override {
    for (int j = 0; j < x.columns; ++j) {
      long double sum = 0;
      for (Index i = 0; i < x.rows; ++i) sum += x(i, j) * x(i, j);
      norms[j] = static_cast<double>(sum);
    }
  }
};

}  // namespace

const BlockKernels& block_kernels() {
  static const ReferenceKernels kernels;
  return kernels;
}

}  // namespace cisolve::base::reference
