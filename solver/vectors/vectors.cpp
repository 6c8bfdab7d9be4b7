#include "solver/vectors/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/ranks/agreement.hpp"
#include "solver/vectors/ordered_key.hpp"

namespace cisolve::solver {
namespace {

template <class BlockType>
BlockType row_range(BlockType v, Index first, Index count) {
  return {v.data + first, count, v.columns, v.stride};
}

base::MultiVector make_on_all(const base::Communicator& ranks, const Backend& backend, Index rows,
                              int columns, std::string_view what) {
  std::optional<base::MultiVector> made;
  base::agree(ranks, [&] { made.emplace(backend, rows, columns, what); });
  return std::move(*made);
}

}  // namespace

// Long enough that a launch costs nothing beside it, short enough to be small beside one vector.
Index Vectors::scratch_rows(const Backend& backend, Index rows) {
  return std::min<Index>(rows, backend.is_host() ? Index{1} << 14 : Index{1} << 18);
}

Vectors::Vectors(const Backend& backend, const base::Communicator& ranks,
                 const base::Layout& layout, int widest)
    : backend_(backend),
      ranks_(ranks),
      rows_(layout.count(ranks.rank())),
      first_row_(layout.first(ranks.rank())),
      dimension_(layout.rows()),
      blocks_(base::block_kernels(backend)),
      kernels_(solver::kernels(backend)),
      piece_(make_on_all(ranks, backend, scratch_rows(backend, rows_), widest,
                         "a piece of rotated vectors")) {}

base::MultiVector Vectors::make(int columns, std::string_view what) const {
  return make_on_all(ranks_, backend_, rows_, columns, what);
}

SmallMatrix Vectors::gram(ConstBlock x, ConstBlock y) const {
  SmallMatrix g(x.columns, y.columns);
  blocks_.gram(backend_, x, y, g);
  ranks_.sum(g.values());
  return g;
}

std::vector<double> Vectors::norms(ConstBlock x) {
  constexpr double smallest = 1e-140;  // the squares of less lose digits
  std::vector<double> norms(x.columns);
  blocks_.squared_norms(backend_, x, norms);
  ranks_.sum(norms);
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
  bound = ranks_.maximum(bound);
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
  ranks_.sum({&sum, 1});
  return unit * std::sqrt(sum);
}

void Vectors::randomise(std::uint64_t seed, Block y) const {
  blocks_.randomise(backend_, seed, first_row_, y);
}

Vectors::OwnRows Vectors::own_rows(std::span<const Index> rows) const {
  const auto first = std::ranges::lower_bound(rows, first_row_);
  const auto last = std::ranges::lower_bound(rows, first_row_ + rows_);
  OwnRows own{static_cast<int>(first - rows.begin()), {first, last}};
  for (Index& row : own.rows) row -= first_row_;
  return own;
}

void Vectors::gather(ConstBlock x, std::span<const Index> rows, SmallMatrix& values) const {
  const OwnRows own = own_rows(rows);
  SmallMatrix mine(static_cast<int>(own.rows.size()), x.columns);
  kernels_.gather(backend_, x, own.rows, mine);
  std::ranges::fill(values.values(), 0.0);
  for (int j = 0; j < mine.columns(); ++j)
    for (int r = 0; r < mine.rows(); ++r) values(own.before + r, j) = mine(r, j);
  ranks_.sum(values.values());
}

void Vectors::scatter(const SmallMatrix& values, std::span<const Index> rows, Block y) const {
  const OwnRows own = own_rows(rows);
  SmallMatrix mine(static_cast<int>(own.rows.size()), y.columns);
  for (int j = 0; j < mine.columns(); ++j)
    for (int r = 0; r < mine.rows(); ++r) mine(r, j) = values(own.before + r, j);
  kernels_.scatter(backend_, mine, own.rows, y);
}

Extrema Vectors::extrema(ConstBlock column) const {
  constexpr double none = std::numeric_limits<double>::infinity();
  double ends[] = {none, none};  // the lowest, and the largest with its sign changed
  if (column.rows > 0) {
    const Extrema mine = kernels_.extrema(backend_, column);
    ends[0] = mine.lowest;
    ends[1] = -mine.largest;
  }
  ranks_.minimum(ends);
  return {ends[0], -ends[1]};
}

/// Each rank offers as many as could be wanted, and all choose among all offers.
std::vector<Index> Vectors::lowest(ConstBlock column, Index count) const {
  std::vector<Index> mine = kernels_.lowest(backend_, column, count);
  if (ranks_.size() == 1) return mine;
  SmallMatrix values(static_cast<int>(mine.size()), 1);
  kernels_.gather(backend_, column, mine, values);
  const auto wanted = static_cast<std::size_t>(std::clamp<Index>(count, 0, dimension_));
  std::vector<double> offers(2 * wanted * ranks_.size());  // an element, and its row from 1 on
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::size_t place = 2 * (wanted * ranks_.rank() + i);
    offers[place] = values.values()[i];
    offers[place + 1] = static_cast<double>(first_row_ + mine[i] + 1);
  }
  ranks_.sum(offers);
  std::vector<std::pair<std::uint64_t, Index>> all;
  for (std::size_t i = 0; i < offers.size(); i += 2)
    if (offers[i + 1] > 0)
      all.emplace_back(ordered_key(offers[i]), static_cast<Index>(offers[i + 1]) - 1);
  std::ranges::sort(all);
  std::vector<Index> rows;
  for (std::size_t i = 0; i < std::min(wanted, all.size()); ++i) rows.push_back(all[i].second);
  std::ranges::sort(rows);
  return rows;
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
