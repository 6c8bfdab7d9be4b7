#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "solver/vectors/memory.hpp"
#include "solver/vectors/ordered_key.hpp"
#include "solver/vectors/vectors.hpp"

// Operations on row numbers, which follow the canonical order over all ranks; the layout maps them
// to this rank's rows.
namespace cisolve::solver {
namespace {

using Piece = base::Layout::Piece;

Index bytes_of(Index elements) { return elements * Index{sizeof(double)}; }

}  // namespace

void Vectors::randomise(std::uint64_t seed, Columns y) const {
  for (const Piece& piece : pieces())
    blocks_.randomise(backend_, seed, piece.first, row_range(memory_of(y), piece.at, piece.count));
}

Vectors::OwnRows Vectors::own_rows(std::span<const Index> rows) const {
  OwnRows own;
  for (const Piece& piece : pieces()) {
    const auto first = std::ranges::lower_bound(rows, piece.first);
    const auto last = std::ranges::lower_bound(rows, piece.first + piece.count);
    for (auto row = first; row != last; ++row) {
      own.which.push_back(static_cast<int>(row - rows.begin()));
      own.at.push_back(*row - piece.first + piece.at);
    }
  }
  return own;
}

void Vectors::gather(ConstColumns x, std::span<const Index> rows, SmallMatrix& values) const {
  const OwnRows own = own_rows(rows);
  SmallMatrix mine(static_cast<int>(own.at.size()), x.count());
  kernels_.gather(backend_, memory_of(x), own.at, mine);
  std::ranges::fill(values.values(), 0.0);
  for (int j = 0; j < mine.columns(); ++j)
    for (int r = 0; r < mine.rows(); ++r) values(own.which[r], j) = mine(r, j);
  ranks_.sum(values.values());
}

void Vectors::scatter(const SmallMatrix& values, std::span<const Index> rows, Columns y) const {
  const OwnRows own = own_rows(rows);
  SmallMatrix mine(static_cast<int>(own.at.size()), y.count());
  for (int j = 0; j < mine.columns(); ++j)
    for (int r = 0; r < mine.rows(); ++r) mine(r, j) = values(own.which[r], j);
  kernels_.scatter(backend_, mine, own.at, memory_of(y));
}

void Vectors::embed(const SmallMatrix& values, std::span<const Index> rows, Columns y) const {
  fill(0, y);
  scatter(values, rows, y);
}

void Vectors::fill_units(std::span<const Index> rows, Columns y) const {
  SmallMatrix ones(y.count(), y.count());
  for (int j = 0; j < y.count(); ++j) ones(j, j) = 1;
  embed(ones, rows, y);
}

Extrema Vectors::extrema(ConstColumns column) const {
  constexpr double none = std::numeric_limits<double>::infinity();
  double ends[] = {none, none};  // lowest, and negated largest
  if (column.rows() > 0) {
    const Extrema mine = kernels_.extrema(backend_, memory_of(column));
    ends[0] = mine.lowest;
    ends[1] = -mine.largest;
  }
  ranks_.minimum(ends);
  return {ends[0], -ends[1]};
}

/// The `count` lowest of each piece.
std::vector<Vectors::Candidate> Vectors::own_lowest(ConstColumns column, Index count) const {
  std::vector<Candidate> found;
  for (const Piece& piece : pieces()) {
    const auto part = row_range(memory_of(column), piece.at, piece.count);
    const std::vector<Index> rows = kernels_.lowest(backend_, part, count);
    SmallMatrix values(static_cast<int>(rows.size()), 1);
    kernels_.gather(backend_, part, rows, values);
    for (std::size_t i = 0; i < rows.size(); ++i)
      found.push_back({values.values()[i], piece.first + rows[i]});
  }
  return found;
}

/// Each rank offers its `count` lowest; all select from all offers.
std::vector<Index> Vectors::lowest(ConstColumns column, Index count) const {
  if (layout_ == base::Layout::whole(dimension()))
    return kernels_.lowest(backend_, memory_of(column), count);
  const auto wanted = static_cast<std::size_t>(std::clamp<Index>(count, 0, dimension()));
  const auto keep_lowest = [wanted](std::vector<Candidate>& all) {
    std::ranges::sort(
        all, {}, [](const Candidate& one) { return std::pair(ordered_key(one.value), one.row); });
    if (all.size() > wanted) all.resize(wanted);
  };
  std::vector<Candidate> mine = own_lowest(column, count);
  keep_lowest(mine);
  std::vector<double> offers(2 * wanted * ranks_.size());  // an element, and its row counted from 1
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::size_t place = 2 * (wanted * ranks_.rank() + i);
    offers[place] = mine[i].value;
    offers[place + 1] = static_cast<double>(mine[i].row + 1);
  }
  ranks_.sum(offers);
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < offers.size(); i += 2)
    if (offers[i + 1] > 0) all.push_back({offers[i], static_cast<Index>(offers[i + 1]) - 1});
  keep_lowest(all);
  std::vector<Index> rows;
  for (const Candidate& one : all) rows.push_back(one.row);
  std::ranges::sort(rows);
  return rows;
}

void Vectors::all_gather(ConstColumns x, std::span<double> columns) const {
  const ConstBlock source = memory_of(x);
  std::ranges::fill(columns, 0.0);  // rows of other ranks, added by the sum
  for (int j = 0; j < source.columns; ++j)
    for (const Piece& piece : pieces())
      base::copy_bytes(backend_, source.column(j) + piece.at, backend_.host(),
                       columns.data() + j * dimension() + piece.first, bytes_of(piece.count));
  ranks_.sum(columns);
}

void Vectors::scatter_whole(const SmallMatrix& columns, Columns y) const {
  const Block target = memory_of(y);
  for (int j = 0; j < target.columns; ++j)
    for (const Piece& piece : pieces())
      base::copy_bytes(backend_.host(), &columns.values()[j * dimension() + piece.first], backend_,
                       target.column(j) + piece.at, bytes_of(piece.count));
}

void Vectors::from(const base::MultiVector& given, const base::Layout& layout, Columns y,
                   int first_column) const {
  const bool is_whole = layout.ranks() == 1;
  if ((!is_whole && layout != layout_) || layout.rows() != dimension() ||
      given.rows() != (is_whole ? dimension() : rows_))
    base::fail(base::ErrorKind::bad_input, "the start vectors have ", given.rows(), " of ",
               layout.rows(), " rows, but the matrix has ", rows_, " of ", dimension(),
               "; expected vectors of the same space, in its layout or whole");
  const Block target = memory_of(y);
  for (const Piece& to : pieces())
    for (const Piece& part : layout.pieces_of(is_whole ? 0 : ranks_.rank())) {
      const Index first = std::max(to.first, part.first);
      const Index end = std::min(to.first + to.count, part.first + part.count);
      if (first >= end) continue;
      for (int j = 0; j < target.columns; ++j)
        base::copy_bytes(
            given.backend(), given.block().column(first_column + j) + part.at + first - part.first,
            backend_, target.column(j) + to.at + first - to.first, bytes_of(end - first));
    }
}

}  // namespace cisolve::solver
