#include "base/block_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/random.hpp"

// Threads share the rows. Sums are taken over a fixed number of pieces and the pieces added in
// order, so that the bits do not depend on the number of threads.
namespace cisolve::base::openmp {
namespace {

constexpr int kPieces = 256;
constexpr Index kTile = 512;  // rows whose columns stay in the first-level cache

struct Range {
  Index first;
  Index last;
};

Range piece_of(Index rows, int piece) {
  return {rows / kPieces * piece + std::min<Index>(piece, rows % kPieces),
          rows / kPieces * (piece + 1) + std::min<Index>(piece + 1, rows % kPieces)};
}

/// Calls work(j, first, last) for each column and piece of rows.
template <class Work>
void for_each_piece(const Backend& backend, ConstBlock shape, Work work) {
#pragma omp parallel for collapse(2) schedule(static) num_threads(backend.threads())
  for (int j = 0; j < shape.columns; ++j)
    for (int piece = 0; piece < kPieces; ++piece) {
      const Range range = piece_of(shape.rows, piece);
      work(j, range.first, range.last);
    }
}

/// Partial sums that the compiler keeps in a vector register.
constexpr Index kLanes = 4;
using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;

void load(const double* from, Lanes& lanes) { std::memcpy(&lanes, from, sizeof lanes); }

void load(const float* from, Lanes& lanes) {
  using Singles [[gnu::vector_size(kLanes * sizeof(float))]] = float;
  Singles singles;
  std::memcpy(&singles, from, sizeof singles);
  lanes = __builtin_convertvector(singles, Lanes);
}

double total(const Lanes& lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

/// Adds the A x B inner products of columns a.. of x with b.. of y over [first, last) to g. Several
/// products at once hide the latency of an addition and read each column only once a group.
template <int A, int B, class X>
void add_products(BasicBlock<const X> x, int a, ConstBlock y, int b, Range rows, SmallMatrix& g) {
  Lanes sums[A][B] = {};
  Index r = rows.first;
  for (; r + kLanes <= rows.last; r += kLanes) {
    Lanes right[B];
    for (int k = 0; k < B; ++k) load(y.column(b + k) + r, right[k]);
    for (int i = 0; i < A; ++i) {
      Lanes left;
      load(x.column(a + i) + r, left);
      for (int k = 0; k < B; ++k) sums[i][k] += left * right[k];
    }
  }
  for (int i = 0; i < A; ++i)
    for (int k = 0; k < B; ++k) {
      double rest = 0;
      for (Index last = r; last < rows.last; ++last) rest += x(last, a + i) * y(last, b + k);
      g(a + i, b + k) += total(sums[i][k]) + rest;
    }
}

template <class X>
void add_gram_of_tile(BasicBlock<const X> x, ConstBlock y, Range rows, SmallMatrix& g) {
  const int even_a = x.columns / 2 * 2;
  const int even_b = y.columns / 2 * 2;
  for (int b = 0; b < even_b; b += 2) {
    for (int a = 0; a < even_a; a += 2) add_products<2, 2>(x, a, y, b, rows, g);
    if (even_a < x.columns) add_products<1, 2>(x, even_a, y, b, rows, g);
  }
  if (even_b < y.columns) {
    for (int a = 0; a < even_a; a += 2) add_products<2, 1>(x, a, y, even_b, rows, g);
    if (even_a < x.columns) add_products<1, 1>(x, even_a, y, even_b, rows, g);
  }
}

double squared_norm(const double* x, Range rows) {
  Lanes sums[2] = {};
  Index r = rows.first;
  for (; r + 2 * kLanes <= rows.last; r += 2 * kLanes)
    for (Index half = 0; half < 2; ++half) {
      Lanes lanes;
      load(x + r + half * kLanes, lanes);
      sums[half] += lanes * lanes;
    }
  double sum = total(sums[0]) + total(sums[1]);
  for (; r < rows.last; ++r) sum += x[r] * x[r];
  return sum;
}

template <class X>
void update_tile(double alpha, BasicBlock<const X> x, const SmallMatrix& c, double beta, Block y,
                 Range rows) {
  for (int b = 0; b < y.columns; ++b) {
    double* out = y.column(b);
    if (beta == 0)
      std::fill(out + rows.first, out + rows.last, 0.0);
    else if (beta != 1)
      for (Index r = rows.first; r < rows.last; ++r) out[r] *= beta;
    int a = 0;
    for (; a + 4 <= x.columns; a += 4) {
      const double c0 = alpha * c(a, b);
      const double c1 = alpha * c(a + 1, b);
      const double c2 = alpha * c(a + 2, b);
      const double c3 = alpha * c(a + 3, b);
      const X* x0 = x.column(a);
      const X* x1 = x.column(a + 1);
      const X* x2 = x.column(a + 2);
      const X* x3 = x.column(a + 3);
#pragma omp simd
      for (Index r = rows.first; r < rows.last; ++r)
        out[r] += (c0 * x0[r] + c1 * x1[r]) + (c2 * x2[r] + c3 * x3[r]);
    }
    for (; a < x.columns; ++a) {
      const double factor = alpha * c(a, b);
      const X* in = x.column(a);
#pragma omp simd
      for (Index r = rows.first; r < rows.last; ++r) out[r] += factor * in[r];
    }
  }
}

template <class Work>
void for_each_tile(Range range, Work work) {
  for (Index first = range.first; first < range.last; first += kTile)
    work(Range{first, std::min(first + kTile, range.last)});
}

template <class X>
void gram_of(const Backend& backend, BasicBlock<const X> x, ConstBlock y, SmallMatrix& g) {
  std::vector<SmallMatrix> parts(kPieces, SmallMatrix(x.columns, y.columns));
#pragma omp parallel for schedule(static) num_threads(backend.threads())
  for (int piece = 0; piece < kPieces; ++piece)
    for_each_tile(piece_of(x.rows, piece),
                  [&](Range rows) { add_gram_of_tile(x, y, rows, parts[piece]); });
  std::ranges::fill(g.values(), 0.0);
  for (const SmallMatrix& part : parts)
    for (std::size_t k = 0; k < g.values().size(); ++k) g.values()[k] += part.values()[k];
}

template <class X>
void update_by(const Backend& backend, double alpha, BasicBlock<const X> x, const SmallMatrix& c,
               double beta, Block y) {
#pragma omp parallel for schedule(static) num_threads(backend.threads())
  for (int piece = 0; piece < kPieces; ++piece)
    for_each_tile(piece_of(y.rows, piece),
                  [&](Range rows) { update_tile(alpha, x, c, beta, y, rows); });
}

class OpenmpKernels final : public BlockKernels {
 public:
  void fill(const Backend& backend, double value, Block y) const override {
    for_each_piece(backend, y, [=](int j, Index first, Index last) {
      std::fill(y.column(j) + first, y.column(j) + last, value);
    });
  }

  using BlockKernels::randomise;
  void randomise(const Backend& backend, std::uint64_t seed, Index first_row,
                 Block y) const override {
    for_each_piece(backend, y, [=](int j, Index first, Index last) {
      const RandomVector x(seed, j);
      for (Index i = first; i < last; ++i) y(i, j) = x[first_row + i];
    });
  }

  void copy(const Backend& backend, ConstBlock x, Block y) const override {
    require_same_shape(x, y);
    for_each_piece(backend, y, [=](int j, Index first, Index last) {
      std::copy(x.column(j) + first, x.column(j) + last, y.column(j) + first);
    });
  }

  void scale(const Backend& backend, std::span<const double> factors, Block y) const override {
    for_each_piece(backend, y, [=](int j, Index first, Index last) {
      const double factor = factors[j];
      for (Index i = first; i < last; ++i) y(i, j) *= factor;
    });
  }

  void axpy(const Backend& backend, std::span<const double> factors, ConstBlock x,
            Block y) const override {
    require_same_shape(x, y);
    for_each_piece(backend, y, [=](int j, Index first, Index last) {
      const double factor = factors[j];
      for (Index i = first; i < last; ++i) y(i, j) += factor * x(i, j);
    });
  }

  void gram(const Backend& backend, ConstBlock x, ConstBlock y, SmallMatrix& g) const override {
    gram_of(backend, x, y, g);
  }

  void gram(const Backend& backend, ConstSingleBlock x, ConstBlock y,
            SmallMatrix& g) const override {
    gram_of(backend, x, y, g);
  }

  void update(const Backend& backend, double alpha, ConstBlock x, const SmallMatrix& c, double beta,
              Block y) const override {
    update_by(backend, alpha, x, c, beta, y);
  }

  void update(const Backend& backend, double alpha, ConstSingleBlock x, const SmallMatrix& c,
              double beta, Block y) const override {
    update_by(backend, alpha, x, c, beta, y);
  }

  void narrow(const Backend& backend, std::span<const double> factors, ConstBlock x,
              SingleBlock y) const override {
    for_each_piece(backend, x, [=](int j, Index first, Index last) {
      const double factor = factors[j];
      for (Index i = first; i < last; ++i) y(i, j) = static_cast<float>(factor * x(i, j));
    });
  }

  void round_to_single(const Backend& backend, Block y) const override {
    for_each_piece(backend, y, [=](int j, Index first, Index last) {
      for (Index i = first; i < last; ++i) y(i, j) = static_cast<float>(y(i, j));
    });
  }

  void squared_norms(const Backend& backend, ConstBlock x, std::span<double> norms) const override {
    SmallMatrix parts(kPieces, x.columns);
#pragma omp parallel for collapse(2) schedule(static) num_threads(backend.threads())
    for (int j = 0; j < x.columns; ++j)
      for (int piece = 0; piece < kPieces; ++piece)
        parts(piece, j) = squared_norm(x.column(j), piece_of(x.rows, piece));
    for (int j = 0; j < x.columns; ++j) {
      double sum = 0;
      for (int piece = 0; piece < kPieces; ++piece) sum += parts(piece, j);
      norms[j] = sum;
    }
  }
};

}  // namespace

const BlockKernels& block_kernels() {
  static const OpenmpKernels kernels;
  return kernels;
}

}  // namespace cisolve::base::openmp
