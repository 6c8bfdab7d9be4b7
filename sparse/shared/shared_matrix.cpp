#include "sparse/shared/shared_matrix.hpp"

#include <algorithm>
#include <atomic>

#include "base/loops.hpp"
#include "base/multivector.hpp"
#include "base/ranks/agreement.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/shared/row_share.hpp"

namespace cisolve::sparse {
namespace {

/// What a first look at the rows of a rank finds.
struct FirstLook {
  base::Array<Column> lengths;
  base::Array<Column> place;  // of columns that have elements beyond the share, among these
  std::vector<Index> needed;  // these, ascending
};

FirstLook look_at(const RowSource& rows, Index first, base::Array<double>& diagonal,
                  const base::Backend& host) {
  constexpr Column kNeeded = 1;
  const NeighbouringRows mine(rows, first, diagonal.size());
  FirstLook found{
      row_lengths(mine, host), {host, rows.shape().columns, "which columns are needed"}, {}};
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

SharedMatrix::SharedMatrix(const base::Communicator& ranks, const RowSource& rows,
                           base::Layout layout, const FormatOptions& options,
                           const base::Backend& backend)
    : ranks_(ranks),
      backend_(backend),
      layout_(std::move(layout)),
      diagonal_(backend.host(), layout_.count(ranks.rank()), "the diagonal of a share") {
  std::optional<FirstLook> look;
  const auto pieces = layout_.pieces_of(ranks.rank());
  const Index first = pieces.empty() ? 0 : pieces.front().first;
  base::agree(ranks_, [&] {
    if (!backend_.is_host() || pieces.size() > 1)
      base::fail(base::Fault::internal, "rows in ", pieces.size(), " pieces on ", backend_.name(),
                 "; expected one piece on the host");
    look.emplace(look_at(rows, first, diagonal_, backend_));
  });
  fetched_ = std::make_unique<FetchedRows>(ranks_, layout_, std::move(look->needed));
  base::agree(ranks_, [&] {
    if (this->rows() == 0) return;
    const RowsOfOneRank share(rows, first, look->lengths.span(), fetched_->count(),
                              look->place.span());
    own_ = build_matrix(share, options, backend_);
  });
}

void SharedMatrix::apply(base::ConstBlock x, base::Block y) const {
  base::MultiVector all(backend_, rows() + fetched(), x.columns, "rows of x of all ranks");
  const base::Block whole = all.block();
  for (int j = 0; j < x.columns; ++j) std::copy_n(x.column(j), rows(), whole.column(j));
  fetched_->fetch(x, {whole.data + rows(), fetched(), whole.columns, whole.stride});
  if (own_) own_->multiply(1, std::as_const(all).block(), 0, y);
}

bool SharedMatrix::diagonal(base::Block d) const {
  std::ranges::copy(diagonal_.span(), d.column(0));
  return true;
}

base::OperatorDescription SharedMatrix::description() const {
  base::OperatorDescription found = own_ ? own_->description() : base::OperatorDescription{};
  found.bytes_held += diagonal_.bytes() + fetched_->bytes();
  return found;
}

}  // namespace cisolve::sparse
