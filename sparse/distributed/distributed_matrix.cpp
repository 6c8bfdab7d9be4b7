#include "sparse/distributed/distributed_matrix.hpp"

#include <algorithm>
#include <atomic>

#include "base/loops.hpp"
#include "base/multivector.hpp"
#include "base/ranks/collective_errors.hpp"
#include "sparse/distributed/rank_rows.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::sparse {
namespace {

/// Result of a first pass over a rank's rows.
struct RankRowScan {
  base::Array<Column> lengths;
  base::Array<Column> place;  // for each column: number among the remote columns with elements
  std::vector<Index> needed;  // numbers of these columns, ascending
};

RankRowScan scan_rows(const RowSource& rows, Index first, base::Array<double>& diagonal,
                      const base::Backend& host) {
  constexpr Column kNeeded = 1;
  const ConsecutiveRows mine(rows, first, diagonal.size());
  RankRowScan found{
      row_lengths(mine, host), {host, rows.shape().columns, "the columns needed by a rank"}, {}};
  std::ranges::fill(found.place.span(), 0);
  std::ranges::fill(diagonal.span(), 0.0);
  for_each_row(mine, found.lengths.span(), host, [&](const Row& row) {
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const Index column = row.columns[k];
      if (column == first + row.number) diagonal[row.number] = row.values[k];
      const bool is_own = column >= first && column < first + diagonal.size();
      if (!is_own) std::atomic_ref(found.place[column]).store(kNeeded, std::memory_order_relaxed);
    }
  });
  for (Index column = 0; column < found.place.size(); ++column)
    if (found.place[column] == kNeeded) {
      found.place[column] = static_cast<Column>(found.needed.size());
      found.needed.push_back(column);
    }
  return found;
}

}  // namespace

DistributedMatrix::DistributedMatrix(const base::Communicator& ranks, const RowSource& rows,
                                     base::Layout layout, const FormatOptions& options,
                                     const base::Backend& backend)
    : ranks_(ranks),
      backend_(backend),
      layout_(std::move(layout)),
      diagonal_(backend.host(), 0, "the diagonal of a rank's rows"),
      x_(backend.host(), 0, 0) {
  std::optional<RankRowScan> look;
  const auto pieces = layout_.pieces_of(ranks.rank());
  const Index first = pieces.empty() ? 0 : pieces.front().first;
  base::run_collectively(ranks_, [&] {
    if (!backend_.is_host() || pieces.size() > 1)
      base::fail(base::ErrorKind::internal, "rows in ", pieces.size(), " pieces on ",
                 backend_.name(), "; expected one piece on the host");
    diagonal_ = base::Array<double>(backend_, layout_.count(ranks_.rank()),
                                    "the diagonal of a rank's rows");
    look.emplace(scan_rows(rows, first, diagonal_, backend_));
  });
  fetched_ = std::make_unique<FetchedRows>(ranks_, layout_, std::move(look->needed), backend_);
  base::run_collectively(ranks_, [&] {
    x_ = base::MultiVector(backend_, this->rows() + fetched(), fetched_->columns(),
                           "rows of x of all ranks");
    if (this->rows() == 0) return;
    const RankRows rows_of_rank(rows, first, look->lengths.span(), fetched_->count(),
                                look->place.span());
    own_ = build_matrix(rows_of_rank, options, backend_);
  });
}

void DistributedMatrix::apply(base::ConstBlock x, base::Block y) const {
  for (int j = 0; j < x.columns; j += x_.columns()) {
    const int count = std::min(x_.columns(), x.columns - j);
    const base::ConstBlock mine = x.slice(j, count);
    const base::Block all = x_.block(0, count);
    for (int k = 0; k < count; ++k) std::copy_n(mine.column(k), rows(), all.column(k));
    fetched_->fetch(mine, {all.data + rows(), fetched(), count, all.stride});
    if (own_) own_->multiply(1, all, 0, y.slice(j, count));
  }
}

bool DistributedMatrix::diagonal(base::Block d) const {
  std::ranges::copy(diagonal_.span(), d.column(0));
  return true;
}

base::OperatorDescription DistributedMatrix::description() const {
  base::OperatorDescription found = own_ ? own_->description() : base::OperatorDescription{};
  found.bytes_held += diagonal_.bytes() + fetched_->bytes();
  return found;
}

}  // namespace cisolve::sparse
