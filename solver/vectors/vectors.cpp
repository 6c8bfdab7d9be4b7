#include "solver/vectors/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cisolve::solver {
namespace {

template <class BlockType>
BlockType row_range(BlockType v, Index first, Index count) {
  return {v.data + first, count, v.columns, v.stride};
}

}  // namespace

// Long enough that a launch costs nothing beside it, short enough to be small beside one vector.
Index Vectors::scratch_rows(const Backend& backend, Index rows) {
  return std::min<Index>(rows, backend.is_host() ? Index{1} << 14 : Index{1} << 18);
}

Vectors::Vectors(const Backend& backend, const base::Communicator& communicator, Index rows,
                 int widest)
    : backend_(backend),
      communicator_(communicator),
      blocks_(base::block_kernels(backend)),
      kernels_(solver::kernels(backend)),
      piece_(backend, scratch_rows(backend, rows), widest, "a piece of rotated vectors") {}

SmallMatrix Vectors::gram(ConstBlock x, ConstBlock y) const {
  SmallMatrix g(x.columns, y.columns);
  blocks_.gram(backend_, x, y, g);
  communicator_.sum(g.values());
  return g;
}

std::vector<double> Vectors::norms(ConstBlock x) {
  constexpr double smallest = 1e-140;  // the squares of less lose digits
  std::vector<double> norms(x.columns);
  blocks_.squared_norms(backend_, x, norms);
  communicator_.sum(norms);
  for (int j = 0; j < x.columns; ++j) {
    norms[j] = std::sqrt(norms[j]);
    if (!(norms[j] > smallest && std::isfinite(norms[j])))
      norms[j] = norm_by_scaling(x.slice(j, 1));
  }
  return norms;
}

double Vectors::norm_by_scaling(ConstBlock column) {
  double bound = 0;  // of the magnitude of any element
  if (column.rows > 0) {
    const Extrema extrema = kernels_.extrema(backend_, column);
    bound = std::max(std::abs(extrema.lowest), std::abs(extrema.largest));
  }
  communicator_.sum({&bound, 1});
  const double unit = bound < std::numeric_limits<double>::min() ? 1 : bound;
  double sum = 0;
  for (Index first = 0; first < column.rows; first += piece_.rows()) {
    const Index count = std::min(piece_.rows(), column.rows - first);
    const Block part = row_range(piece_.block(0, 1), 0, count);
    const double factor = 1 / unit;
    blocks_.copy(backend_, row_range(column, first, count), part);
    blocks_.scale(backend_, {&factor, 1}, part);
    double square = 0;
    blocks_.squared_norms(backend_, part, {&square, 1});
    sum += square;
  }
  communicator_.sum({&sum, 1});
  return unit * std::sqrt(sum);
}

Index Vectors::total(Index local) const {
  auto sum = static_cast<double>(local);
  communicator_.sum({&sum, 1});
  return static_cast<Index>(sum);
}

template <class Take>
void Vectors::for_each_piece(ConstBlock v, const SmallMatrix& c, Take take) {
  for (Index first = 0; first < v.rows; first += piece_.rows()) {
    const Index count = std::min(piece_.rows(), v.rows - first);
    const Block part = row_range(piece_.block(0, c.columns()), 0, count);
    blocks_.update(backend_, 1, row_range(v, first, count), c, 0, part);
    take(first, part);
  }
}

void Vectors::rotate(Block v, const SmallMatrix& c) {
  for_each_piece(v, c, [&](Index first, Block part) {
    blocks_.copy(backend_, part, row_range(v.slice(0, c.columns()), first, part.rows));
  });
}

base::MultiVector Vectors::product_on_host(ConstBlock v, const SmallMatrix& c) {
  base::MultiVector result(backend_.host(), v.rows, c.columns(), "vectors on the host");
  for_each_piece(v, c, [&](Index first, Block part) {
    for (int j = 0; j < part.columns; ++j)
      base::copy_bytes(backend_, part.column(j), backend_.host(), result.block().column(j) + first,
                       part.rows * Index{sizeof(double)});
  });
  return result;
}

}  // namespace cisolve::solver
