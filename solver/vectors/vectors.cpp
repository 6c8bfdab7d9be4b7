#include "solver/vectors/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "base/fill.hpp"
#include "base/ranks/collective_errors.hpp"
#include "solver/vectors/eigen_map.hpp"
#include "solver/vectors/memory.hpp"
#include "solver/vectors/small_eigen.hpp"
#include "solver/vectors/space_bytes.hpp"

namespace cisolve::solver {
namespace {

base::MultiVector make_on_all(const base::Communicator& ranks, const Backend& backend, Index rows,
                              int columns, std::string_view what) {
  std::optional<base::MultiVector> made;
  base::run_collectively(ranks, [&] { made.emplace(backend, rows, columns, what); });
  return std::move(*made);
}

/// One block of both ranges of columns, if the second follows the first in memory.
std::optional<ConstBlock> joined(ConstColumns first, ConstColumns second) {
  if (first.count() == 0 || PanelStoreAccess::panel_store_of(first) != nullptr) return {};
  const ConstBlock one = memory_of(first);
  const ConstBlock two = memory_of(second);
  if (two.data != one.column(one.columns) || two.stride != one.stride) return {};
  return ConstBlock{one.data, one.rows, one.columns + two.columns, one.stride};
}

SmallMatrix rows_of(const SmallMatrix& a, int first, int count) {
  SmallMatrix some(count, a.columns());
  as_eigen(some) = as_eigen(a).middleRows(first, count);
  return some;
}

SmallMatrix stacked(const SmallMatrix& above, const SmallMatrix& below) {
  SmallMatrix all(above.rows() + below.rows(), above.columns());
  as_eigen(all).topRows(above.rows()) = as_eigen(above);
  as_eigen(all).bottomRows(below.rows()) = as_eigen(below);
  return all;
}

}  // namespace

Vectors::Vectors(const Backend& backend, const base::Communicator& ranks, base::Layout layout,
                 int widest)
    : backend_(backend),
      ranks_(ranks),
      layout_(std::move(layout)),
      rows_(layout_.count(ranks.rank())),
      blocks_(base::block_kernels(backend)),
      kernels_(solver::kernels(backend)),
      piece_(make_on_all(ranks, backend, scratch_rows(backend.is_host(), rows_), widest,
                         "a piece of rotated vectors")),
      transfer_piece_(make_on_all(ranks, backend.host(),
                                  transfer_rows(backend.is_host(), layout_.rows()), 1,
                                  "a piece of a gathered vector")) {}

base::MultiVector Vectors::make(int columns, std::string_view what) const {
  return make_on_all(ranks_, backend_, rows_, columns, what);
}

bool Vectors::have_memory_for(int columns) const {
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
  update_rows(alpha, x, c, beta, 0, memory_of(y));
}

void Vectors::update_rows(double alpha, ConstColumns x, const SmallMatrix& c, double beta,
                          Index first, Block y) const {
  if (PanelStoreAccess::panel_store_of(x) != nullptr)
    return PanelStoreAccess::update(alpha, x, c, beta, first, y);
  blocks_.update(backend_, alpha, row_range(memory_of(x), first, y.rows), c, beta, y);
}

void Vectors::divide_by_shifted(ConstColumns d, std::span<const double> shifts, double floor,
                                ConstColumns x, Columns y) const {
  kernels_.divide_by_shifted(backend_, memory_of(d), shifts, floor, memory_of(x), memory_of(y));
}

void Vectors::sqrt_of_distances(ConstColumns d, double shift, double floor, Columns y) const {
  kernels_.sqrt_of_distances(backend_, memory_of(d), shift, floor, memory_of(y));
}

void Vectors::local_gram(ConstColumns x, ConstColumns y, SmallMatrix& g) const {
  if (PanelStoreAccess::panel_store_of(x) != nullptr)
    PanelStoreAccess::gram(x, {{{memory_of(y), &g}}});
  else
    blocks_.gram(backend_, memory_of(x), memory_of(y), g);
}

SmallMatrix Vectors::gram(ConstColumns x, ConstColumns y) const {
  SmallMatrix g(x.count(), y.count());
  local_gram(x, y, g);
  ranks_.sum(g.values());
  return g;
}

/// If W follows V in memory, as a new direction follows a basis, both are read in one pass.
std::pair<SmallMatrix, SmallMatrix> Vectors::gram_with_own(ConstColumns v, ConstColumns w) const {
  SmallMatrix all(v.count() + w.count(), w.count());
  if (const auto both = joined(v, w)) {
    blocks_.gram(backend_, *both, memory_of(w), all);
  } else {
    SmallMatrix overlap(v.count(), w.count());
    SmallMatrix own(w.count(), w.count());
    if (v.count() > 0) local_gram(v, w, overlap);
    local_gram(w, w, own);
    all = stacked(overlap, own);
  }
  ranks_.sum(all.values());
  return {rows_of(all, 0, v.count()), rows_of(all, v.count(), w.count())};
}

std::pair<SmallMatrix, SmallMatrix> Vectors::gram_of_both(ConstColumns x, ConstColumns y,
                                                          ConstColumns z) const {
  if (PanelStoreAccess::panel_store_of(x) == nullptr) return {gram(x, y), gram(x, z)};
  std::pair g(SmallMatrix(x.count(), y.count()), SmallMatrix(x.count(), z.count()));
  PanelStoreAccess::gram(x, {{{memory_of(y), &g.first}, {memory_of(z), &g.second}}});
  ranks_.sum(g.first.values());
  ranks_.sum(g.second.values());
  return g;
}

std::vector<double> Vectors::norms(ConstColumns x) {
  std::vector<double> norms(x.count());
  blocks_.squared_norms(backend_, memory_of(x), norms);
  ranks_.sum(norms);
  for (int j = 0; j < x.count(); ++j)
    norms[j] = has_digits(norms[j]) ? std::sqrt(norms[j]) : norm_by_scaling(x.slice(j, 1));
  return norms;
}

double Vectors::norm_by_scaling(ConstColumns column) {
  double bound = 0;  // bound of any |element|
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

template <class TakePiece>
void Vectors::for_each_piece(ConstColumns v, const SmallMatrix& c, Index first, Index count,
                             TakePiece take) {
  for (Index at = 0; at < count; at += piece_.rows()) {
    const Index some = std::min(piece_.rows(), count - at);
    const Block part = row_range(piece_.block(0, c.columns()), 0, some);
    update_rows(1, v, c, 0, first + at, part);
    take(at, part);
  }
}

void Vectors::rotate(Columns v, const SmallMatrix& c) {
  if (v.count() == 1 && c.columns() == 1) return scale(c.values(), v);
  const Block target = memory_of(v.slice(0, c.columns()));
  for_each_piece(v, c, 0, v.rows(), [&](Index at, Block part) {
    blocks_.copy(backend_, part, row_range(target, at, part.rows));
  });
}

void Vectors::round_to_single(Columns y) const { blocks_.round_to_single(backend_, memory_of(y)); }

HostPanelStore Vectors::make_panel_store(HostPanelStore::Shape shape, std::string_view what) const {
  shape.rows = rows_;
  std::optional<HostPanelStore> made;
  base::run_collectively(ranks_, [&] { made.emplace(backend_, shape, what); });
  return std::move(*made);
}

void Vectors::put(ConstColumns x, std::span<const double> norms, HostPanelStore& store) const {
  store.put(memory_of(x), norms);
}

void Vectors::replace(int first, ConstColumns x, HostPanelStore& store) const {
  store.replace(first, memory_of(x));
}

std::vector<double> Vectors::rotate(HostPanelStore& store, const SmallMatrix& c,
                                    std::span<const double> norms, int exact) {
  std::vector<double> lengths = store.rotate(c, norms, exact, piece_.block());
  ranks_.sum(lengths);
  for (double& length : lengths) length = std::sqrt(length);
  return lengths;
}

base::MultiVector Vectors::product_on_host(ConstColumns v, const SmallMatrix& c) {
  base::MultiVector result(backend_.host(), v.rows(), c.columns(), "vectors on the host");
  // All threads touch its pages first, which the copying thread would do slowly.
  const base::Block all = result.block();
  if (!backend_.is_host())
    base::fill_bytes(backend_.host(), all.data, 0,
                     all.stride * all.columns * Index{sizeof(double)});
  for_each_piece(v, c, 0, v.rows(), [&](Index at, Block part) {
    for (int j = 0; j < part.columns; ++j)
      base::copy_bytes(backend_, part.column(j), backend_.host(), result.block().column(j) + at,
                       part.rows * Index{sizeof(double)});
  });
  return result;
}

void Vectors::gather_to_root(ConstColumns v, const SmallMatrix& c, const ElementSink& take) {
  std::vector<base::Layout::Piece> pieces(layout_.pieces().begin(), layout_.pieces().end());
  std::ranges::sort(pieces, {}, &base::Layout::Piece::first);
  std::exception_ptr failure;
  const auto forward = [&](std::span<const double> some) {
    if (ranks_.rank() > 0 || failure) return;
    try {
      take(some);
    } catch (...) {
      if (ranks_.size() == 1) throw;
      failure = std::current_exception();
    }
  };
  for (int j = 0; j < c.columns(); ++j)
    for (base::Layout::Piece piece : pieces)
      for (Index rest = piece.count; rest > 0; rest -= piece.count, piece.at += piece.count) {
        piece.count = std::min(rest, transfer_piece_.rows());
        forward(send_to_root(v, columns_of(c, j, 1), piece));
      }
  if (failure) std::rethrow_exception(failure);
}

/// Rows of v c, for one column of c; undefined on ranks other than 0.
std::span<const double> Vectors::send_to_root(ConstColumns v, const SmallMatrix& c,
                                              const base::Layout::Piece& rows) {
  const std::span<double> there(transfer_piece_.block().data, static_cast<std::size_t>(rows.count));
  const bool sends = rows.rank == ranks_.rank();
  if (sends)
    for_each_piece(v, c, rows.at, rows.count, [&](Index at, Block part) {
      base::copy_bytes(backend_, part.column(0), backend_.host(), there.data() + at,
                       part.rows * Index{sizeof(double)});
    });
  if (rows.rank == 0) return there;
  std::vector<Index> sent(ranks_.size());
  std::vector<Index> received(ranks_.size());
  if (sends) sent[0] = rows.count;
  if (ranks_.rank() == 0) received[rows.rank] = rows.count;
  const std::span<double> nothing;
  ranks_.exchange(sends ? there : nothing, sent, ranks_.rank() == 0 ? there : nothing, received);
  return there;
}

}  // namespace cisolve::solver
