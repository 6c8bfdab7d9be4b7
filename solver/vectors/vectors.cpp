#include "solver/vectors/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/ranks/agreement.hpp"
#include "solver/vectors/memory.hpp"

namespace cisolve::solver {
namespace {

/// What the operator needs beside the vectors, of which so many bytes are left: as much as half a
/// vector, within limits that hold for any.
double left_to_others(double bytes, Index rows) {
  constexpr double share = 0.2;
  constexpr double least = 0x1p26;
  constexpr double most = 0x1p31;
  return std::min(share * bytes, std::clamp(4.0 * static_cast<double>(rows), least, most));
}

// Long enough that launches cost little beside it, short enough to be small beside one vector.
Index scratch_rows(const Backend& backend, Index rows) {
  return std::min<Index>(rows, backend.is_host() ? Index{1} << 14 : Index{1} << 20);
}

base::MultiVector make_on_all(const base::Communicator& ranks, const Backend& backend, Index rows,
                              int columns, std::string_view what) {
  std::optional<base::MultiVector> made;
  base::agree(ranks, [&] { made.emplace(backend, rows, columns, what); });
  return std::move(*made);
}

}  // namespace

Index Vectors::columns_that_fit(const Backend& backend, Index rows) {
  const Index column = 2 * rows + scratch_rows(backend, rows);
  const auto all = static_cast<double>(backend.memory().left());
  const double left = (all - left_to_others(all, rows)) / sizeof(double);
  return static_cast<Index>((left - static_cast<double>(rows)) / static_cast<double>(column + 24));
}

Vectors::Vectors(const Backend& backend, const base::Communicator& ranks, base::Layout layout,
                 int widest)
    : backend_(backend),
      ranks_(ranks),
      layout_(std::move(layout)),
      rows_(layout_.count(ranks.rank())),
      blocks_(base::block_kernels(backend)),
      kernels_(solver::kernels(backend)),
      piece_(make_on_all(ranks, backend, scratch_rows(backend, rows_), widest,
                         "a piece of rotated vectors")) {}

base::MultiVector Vectors::make(int columns, std::string_view what) const {
  return make_on_all(ranks_, backend_, rows_, columns, what);
}

bool Vectors::have_room_for(int columns) const {
  const Index vector = rows_ * Index{sizeof(double)};
  return ranks_.all_true(backend_.memory().left() > (columns + 2) * vector);
}

void Vectors::fill(double value, Columns y) const { blocks_.fill(backend_, value, memory_of(y)); }

void Vectors::copy(ConstColumns x, Columns y) const {
  blocks_.copy(backend_, memory_of(x), memory_of(y));
}

void Vectors::scale(std::span<const double> factors, Columns y) const {
  blocks_.scale(backend_, factors, memory_of(y));
}

void Vectors::scale(double factor, Columns y) const {
  scale(std::vector<double>(y.count(), factor), y);
}

void Vectors::axpy(std::span<const double> factors, ConstColumns x, Columns y) const {
  blocks_.axpy(backend_, factors, memory_of(x), memory_of(y));
}

void Vectors::axpy(double factor, ConstColumns x, Columns y) const {
  axpy(std::vector<double>(y.count(), factor), x, y);
}

void Vectors::update(double alpha, ConstColumns x, const SmallMatrix& c, double beta,
                     Columns y) const {
  blocks_.update(backend_, alpha, memory_of(x), c, beta, memory_of(y));
}

void Vectors::divide_by_shifted(ConstColumns d, std::span<const double> shifts, double floor,
                                Columns t) const {
  kernels_.divide_by_shifted(backend_, memory_of(d), shifts, floor, memory_of(t));
}

void Vectors::roots_of_distances(ConstColumns d, double shift, double floor, Columns y) const {
  kernels_.roots_of_distances(backend_, memory_of(d), shift, floor, memory_of(y));
}

SmallMatrix Vectors::gram(ConstColumns x, ConstColumns y) const {
  SmallMatrix g(x.count(), y.count());
  blocks_.gram(backend_, memory_of(x), memory_of(y), g);
  ranks_.sum(g.values());
  return g;
}

SmallMatrix Vectors::project_out(ConstColumns v, Columns y) const {
  SmallMatrix overlap = gram(v, y);
  update(-1, v, overlap, 1, y);
  return overlap;
}

std::vector<double> Vectors::norms(ConstColumns x) {
  constexpr double smallest = 1e-140;  // the squares of less lose digits
  std::vector<double> norms(x.count());
  blocks_.squared_norms(backend_, memory_of(x), norms);
  ranks_.sum(norms);
  for (int j = 0; j < x.count(); ++j) {
    norms[j] = std::sqrt(norms[j]);
    if (!(norms[j] > smallest && std::isfinite(norms[j])))
      norms[j] = norm_by_scaling(x.slice(j, 1));
  }
  return norms;
}

double Vectors::norm_by_scaling(ConstColumns column) {
  double bound = 0;  // of the magnitude of any element
  if (column.rows() > 0) {
    const Extrema extrema = kernels_.extrema(backend_, memory_of(column));
    bound = std::max(std::abs(extrema.lowest), std::abs(extrema.largest));
  }
  bound = ranks_.maximum(bound);
  const double unit = bound < std::numeric_limits<double>::min() ? 1 : bound;
  double sum = 0;
  for (Index first = 0; first < column.rows(); first += piece_.rows()) {
    const Index count = std::min(piece_.rows(), column.rows() - first);
    const Block part = row_range(piece_.block(0, 1), 0, count);
    const double factor = 1 / unit;
    blocks_.copy(backend_, row_range(memory_of(column), first, count), part);
    blocks_.scale(backend_, {&factor, 1}, part);
    double square = 0;
    blocks_.squared_norms(backend_, part, {&square, 1});
    sum += square;
  }
  ranks_.sum({&sum, 1});
  return unit * std::sqrt(sum);
}

template <class Take>
void Vectors::for_each_piece(ConstColumns v, const SmallMatrix& c, Take take) {
  for (Index first = 0; first < v.rows(); first += piece_.rows()) {
    const Index count = std::min(piece_.rows(), v.rows() - first);
    const Block part = row_range(piece_.block(0, c.columns()), 0, count);
    blocks_.update(backend_, 1, row_range(memory_of(v), first, count), c, 0, part);
    take(first, part);
  }
}

void Vectors::rotate(Columns v, const SmallMatrix& c) {
  if (v.count() == 1 && c.columns() == 1) return scale(c.values(), v);
  const Block target = memory_of(v.slice(0, c.columns()));
  for_each_piece(v, c, [&](Index first, Block part) {
    blocks_.copy(backend_, part, row_range(target, first, part.rows));
  });
}

base::MultiVector Vectors::product_on_host(ConstColumns v, const SmallMatrix& c) {
  base::MultiVector result(backend_.host(), v.rows(), c.columns(), "vectors on the host");
  for_each_piece(v, c, [&](Index first, Block part) {
    for (int j = 0; j < part.columns; ++j)
      base::copy_bytes(backend_, part.column(j), backend_.host(), result.block().column(j) + first,
                       part.rows * Index{sizeof(double)});
  });
  return result;
}

}  // namespace cisolve::solver
