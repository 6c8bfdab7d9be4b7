#include "io/matrices/row_filler.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>

#include "base/error.hpp"
#include "base/loops.hpp"

namespace cisolve::io {
namespace {

struct Stored {
  Column column;
  double value;
};

constexpr Index kFilledAtOnce = 256;

}  // namespace

RowFiller::RowFiller(const sparse::MatrixShape& shape, const base::Backend& host)
    : host_(host),
      shared_(host.threads() > 1),
      matrix_(sparse::allocate_csr(shape, 0, host)),
      cursors_(matrix_.offsets.data() + 1) {
  std::fill_n(matrix_.offsets.data(), shape.rows + 1, Index{0});
}

void RowFiller::announce(std::span<const Element> elements) {
  for (const Element& element : elements) next_after(cursors_[element.row]);
}

void RowFiller::allocate() {
  const Index rows = matrix_.shape.rows;
  const Index nonzeros = std::accumulate(cursors_, cursors_ + rows, Index{0});
  std::exclusive_scan(cursors_, cursors_ + rows, cursors_, Index{0});
  matrix_.columns = base::Array<Column>(host_, nonzeros, "CSR columns");
  matrix_.values = base::Array<double>(host_, nonzeros, "CSR values");
}

// An atomic addition waits for all earlier writes. Therefore positions are taken first, and the
// writes, which mostly miss the cache, overlap.
void RowFiller::put(std::span<const Element> elements) {
  std::array<Index, kBatch> places;
  while (!elements.empty()) {
    const auto batch = elements.first(std::min(elements.size(), places.size()));
    for (const Element& element : batch) __builtin_prefetch(&cursors_[element.row], 1);
    for (std::size_t i = 0; i < batch.size(); ++i) places[i] = next_after(cursors_[batch[i].row]);
    if (*std::max_element(places.begin(), places.begin() + batch.size()) >= matrix_.nonzeros())
      base::fail(base::ErrorKind::bad_input,
                 "a row has more elements than were counted before; do ",
                 "not change the source of the matrix while it is read");
    for (std::size_t i = 0; i < batch.size(); ++i) {
      matrix_.columns[places[i]] = batch[i].column;
      matrix_.values[places[i]] = batch[i].value;
    }
    elements = elements.subspan(batch.size());
  }
}

std::optional<RowFiller::Position> RowFiller::sort_rows() {
  std::optional<Position> first;
  std::mutex guard;
  base::for_each_chunk(matrix_.shape.rows, kFilledAtOnce, host_, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row)
      if (const auto twice = sort_row(row)) {
        const std::lock_guard lock(guard);
        if (!first || row < first->row) first = twice;
        return;
      }
  });
  return first;
}

std::optional<RowFiller::Position> RowFiller::sort_row(Index row) {
  const Index begin = matrix_.offsets[row];
  const Index length = matrix_.offsets[row + 1] - begin;
  const auto columns = matrix_.columns.span().subspan(begin, length);
  const auto values = matrix_.values.span().subspan(begin, length);
  if (!std::is_sorted(columns.begin(), columns.end())) {
    base::Array<Stored> elements(host_, length, "the elements of a row to be sorted");
    for (Index i = 0; i < length; ++i) elements[i] = {columns[i], values[i]};
    std::ranges::sort(elements.span(), {}, &Stored::column);
    for (Index i = 0; i < length; ++i) {
      columns[i] = elements[i].column;
      values[i] = elements[i].value;
    }
  }
  const auto twice = std::adjacent_find(columns.begin(), columns.end());
  if (twice == columns.end()) return std::nullopt;
  return Position{row, *twice};
}

}  // namespace cisolve::io
