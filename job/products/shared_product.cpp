#include "job/products/shared_product.hpp"

#include "base/stopwatch.hpp"
#include "ci/hamiltonian/chosen_rows.hpp"
#include "sparse/shared/row_share.hpp"
#include "sparse/shared/shared_matrix.hpp"

namespace cisolve::job {
namespace {

/// Those of a partition's rows in canonical order; null where they are so already.
std::unique_ptr<sparse::RowSource> in_canonical_order(const sparse::RowSource& rows) {
  const auto* molecular = dynamic_cast<const MolecularRows*>(&rows);
  if (molecular == nullptr || molecular->molecule().partition->is_canonical()) return nullptr;
  return std::make_unique<ci::ChosenRows>(molecular->hamiltonian());
}

/// Counts and bytes are those of all shares; what ranks may have otherwise is that of the first.
MeasuredProduct describe(const base::Communicator& ranks, const sparse::SharedMatrix& matrix,
                         double seconds) {
  MeasuredProduct found;
  if (matrix.own() != nullptr) found = describe_matrix(*matrix.own(), seconds);
  double sums[] = {static_cast<double>(found.nonzeros),
                   static_cast<double>(found.memory.by_formula),
                   static_cast<double>(matrix.description().bytes_held),
                   static_cast<double>(found.memory.padding)};
  ranks.sum(sums);
  found.nonzeros = static_cast<Index>(sums[0]);
  found.memory = {.by_formula = static_cast<Index>(sums[1]),
                  .held = static_cast<Index>(sums[2]),
                  .padding = static_cast<Index>(sums[3])};
  return found;
}

}  // namespace

SharedProduct share_product(const base::Communicator& ranks, const sparse::RowSource& rows,
                            const sparse::FormatOptions& storage, const base::Backend& backend,
                            const Watch& watch, Computed* computed) {
  if (ranks.size() == 1) return {prepare_product(rows, storage, backend, watch, computed)};
  const base::Stopwatch stopwatch;
  const auto ordered = in_canonical_order(rows);
  const WatchedRows all(ordered ? *ordered : rows, watch);
  base::Layout layout = sparse::share_rows(ranks, all, backend.host());
  auto matrix = std::make_unique<sparse::SharedMatrix>(ranks, all, layout, storage, backend);
  MeasuredProduct description = describe(ranks, *matrix, stopwatch.seconds());
  if (matrix->own() == nullptr) description.format = storage.format;
  return {{std::move(matrix), RowsIn::canonical_order, std::move(description)}, std::move(layout)};
}

}  // namespace cisolve::job
