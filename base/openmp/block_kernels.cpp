#include "base/block_kernels.hpp"

#include <algorithm>
#include <vector>

#include "base/openmp/tall_products.hpp"
#include "base/random.hpp"

// Rows are divided among threads. Sums are taken over pieces that depend on the rows only and added
// in order, so that the bits do not depend on the number of threads.
namespace cisolve::base::openmp {
namespace {

constexpr int kMostPieces = 256;
constexpr Index kLeastOfPiece = 256;  // rows: shorter pieces of many columns touch as many pages
constexpr Index kTile = 512;          // rows whose columns stay in the first-level cache

/// Depends on the rows only, as does the order of sums.
int pieces_of(Index rows) {
  return static_cast<int>(std::clamp<Index>(rows / kLeastOfPiece, 1, kMostPieces));
}

Range piece_of(Index rows, int piece) {
  const int pieces = pieces_of(rows);
  return {rows / pieces * piece + std::min<Index>(piece, rows % pieces),
          rows / pieces * (piece + 1) + std::min<Index>(piece + 1, rows % pieces)};
}

/// Waking threads takes as long as one thread needs for so few numbers.
int threads_for(const Backend& backend, Index numbers) {
  constexpr Index kFew = 1 << 15;
  return numbers <= kFew ? 1 : backend.threads();
}

/// Calls work(j, first, last) for each column and piece of rows.
template <class Work>
void for_each_piece(const Backend& backend, ConstBlock shape, Work work) {
  const int pieces = pieces_of(shape.rows);
  const int threads = threads_for(backend, shape.rows * shape.columns);
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads)
  for (int j = 0; j < shape.columns; ++j)
    for (int piece = 0; piece < pieces; ++piece) {
      const Range range = piece_of(shape.rows, piece);
      work(j, range.first, range.last);
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
  }
  add_to_tile(alpha, x, c, y, rows);
}

template <class Work>
void for_each_tile(Range range, Work work) {
  for (Index first = range.first; first < range.last; first += kTile)
    work(Range{first, std::min(first + kTile, range.last)});
}

template <class X>
void gram_of(const Backend& backend, BasicBlock<const X> x, ConstBlock y, SmallMatrix& g) {
  const int pieces = pieces_of(x.rows);
  const std::size_t size = g.values().size();
  std::vector<double> parts(size * static_cast<std::size_t>(pieces));
  const int threads = threads_for(backend, x.rows * x.columns * y.columns);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int piece = 0; piece < pieces; ++piece)
    for_each_tile(piece_of(x.rows, piece), [&](Range rows) {
      double* const part = parts.data() + size * static_cast<std::size_t>(piece);
      add_gram_of_tile(x, y, rows, {part, x.columns, y.columns, x.columns});
    });
  std::ranges::fill(g.values(), 0.0);
  for (std::size_t part = 0; part < parts.size(); part += size)
    for (std::size_t k = 0; k < size; ++k) g.values()[k] += parts[part + k];
}

template <class X>
void update_by(const Backend& backend, double alpha, BasicBlock<const X> x, const SmallMatrix& c,
               double beta, Block y) {
  const int pieces = pieces_of(y.rows);
  const int threads = threads_for(backend, y.rows * y.columns * std::max(1, x.columns));
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int piece = 0; piece < pieces; ++piece)
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

  void scale_to_single(const Backend& backend, std::span<const double> factors, ConstBlock x,
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
    const int pieces = pieces_of(x.rows);
    SmallMatrix parts(pieces, x.columns);
    const int threads = threads_for(backend, x.rows * x.columns);
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads)
    for (int j = 0; j < x.columns; ++j)
      for (int piece = 0; piece < pieces; ++piece)
        parts(piece, j) = squared_norm(x.column(j), piece_of(x.rows, piece));
    for (int j = 0; j < x.columns; ++j) {
      double sum = 0;
      for (int piece = 0; piece < pieces; ++piece) sum += parts(piece, j);
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
