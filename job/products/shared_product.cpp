#include "job/products/shared_product.hpp"

#include <array>
#include <numeric>

#include "base/ranks/agreement.hpp"
#include "base/stopwatch.hpp"
#include "ci/hamiltonian/chosen_rows.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/shared/row_share.hpp"
#include "sparse/shared/shared_matrix.hpp"
#include "sparse/shared/stored_rows.hpp"

namespace cisolve::job {
namespace {

/// Those of a partition's rows in canonical order; null where they are so already.
std::unique_ptr<sparse::RowSource> in_canonical_order(const sparse::RowSource& rows) {
  const auto* molecular = dynamic_cast<const MolecularRows*>(&rows);
  if (molecular == nullptr || molecular->molecule().partition->is_canonical()) return nullptr;
  return std::make_unique<ci::ChosenRows>(molecular->hamiltonian());
}

/// Counts and bytes are those of all shares; what ranks may have otherwise is that of the first.
void sum_over(const base::Communicator& ranks, MeasuredProduct& found) {
  StoredPart stored = found.stored.value_or(StoredPart());
  const std::array counts{
      &found.nonzeros, &found.memory.by_formula, &found.memory.held, &found.memory.padding,
      &stored.rows,    &stored.nonzeros,         &stored.bytes};
  std::array<double, counts.size()> sums{};
  for (std::size_t i = 0; i < counts.size(); ++i) sums[i] = static_cast<double>(*counts[i]);
  ranks.sum(sums);
  for (std::size_t i = 0; i < counts.size(); ++i) *counts[i] = static_cast<Index>(sums[i]);
  if (found.stored) found.stored = stored;
}

MeasuredProduct describe(const sparse::SharedMatrix& matrix, const sparse::FormatOptions& storage,
                         double seconds) {
  MeasuredProduct found;
  found.format = storage.format;
  if (matrix.own() != nullptr) found = describe_matrix(*matrix.own(), seconds);
  found.memory.held = matrix.description().bytes_held;
  return found;
}

SharedProduct share_computed(const base::Communicator& ranks, const sparse::RowSource& rows,
                             const sparse::FormatOptions& storage, const base::Backend& backend,
                             Computed& computed) {
  const base::Stopwatch stopwatch;
  SharedComputed found;
  ranks.links(backend);  // together, before each does what it may fail in
  base::agree(ranks, [&] { found = shared_computed(ranks, rows, storage, computed, backend); });
  MeasuredProduct description =
      found.mixed != nullptr
          ? describe_mixed(*found.mixed, backend, stopwatch.seconds())
          : describe_computed(*found.shared.product, backend, stopwatch.seconds());
  return {{std::move(found.shared.product), RowsIn::canonical_order, std::move(description)},
          std::move(found.shared.layout)};
}

/// Neighbouring rows of a molecule, which a device writes itself, in canonical order.
ci::ChosenRows neighbours_of(const ci::HamiltonianRows& h, Index first, Index count) {
  std::vector<base::Column> rows(count);
  std::iota(rows.begin(), rows.end(), static_cast<base::Column>(first));
  return ci::ChosenRows(h, rows);
}

std::unique_ptr<sparse::StoredRows> store_rows(const sparse::RowSource& rows, Index first,
                                               Index count, const sparse::FormatOptions& storage,
                                               const base::Backend& device) {
  const base::Backend host = device.host();
  if (const auto* molecular = dynamic_cast<const MolecularRows*>(&rows)) {
    const ci::HamiltonianRows& h = molecular->hamiltonian();
    const base::Array<double> all = h.diagonal().all();
    return std::make_unique<sparse::StoredRows>(
        neighbours_of(h, first, count), first,
        base::Array<double>::copy_of(all.span().subspan(first, count), host, "a diagonal"), storage,
        device);
  }
  const sparse::NeighbouringRows mine(rows, first, count);
  const auto lengths = sparse::row_lengths(mine, host);
  return std::make_unique<sparse::StoredRows>(
      mine, first, sparse::diagonal_of(mine, lengths.span(), first, host), storage, device);
}

/// Devices have whole vectors at hand sooner than they pick the rows that another one needs.
SharedProduct share_on_devices(const base::Communicator& ranks, const sparse::RowSource& rows,
                               const sparse::FormatOptions& storage, const base::Backend& device,
                               const Watch& watch) {
  const base::Stopwatch stopwatch;
  const auto ordered = in_canonical_order(rows);
  const WatchedRows all(ordered ? *ordered : rows, watch);
  const base::Layout layout = sparse::share_rows(ranks, all, device.host());
  ranks.links(device);  // together, before each does what it may fail in
  std::unique_ptr<sparse::StoredRows> mine;
  base::agree(ranks, [&] {
    mine = store_rows(rows, layout.first_of(ranks.rank()), layout.count(ranks.rank()), storage,
                      device);
  });
  MeasuredProduct description;
  description.format = storage.format;
  if (mine->matrix() != nullptr)
    description = describe_matrix(*mine->matrix(), stopwatch.seconds());
  std::unique_ptr<base::LinearOperator> product;
  base::agree(ranks,
              [&] { product = base::share_of_rows(ranks, layout, std::move(mine), device); });
  return {{std::move(product), RowsIn::canonical_order, std::move(description)}, layout};
}

SharedProduct share_stored(const base::Communicator& ranks, const sparse::RowSource& rows,
                           const sparse::FormatOptions& storage, const base::Backend& backend,
                           const Watch& watch) {
  if (!backend.is_host()) return share_on_devices(ranks, rows, storage, backend, watch);
  const base::Stopwatch stopwatch;
  const auto ordered = in_canonical_order(rows);
  const WatchedRows all(ordered ? *ordered : rows, watch);
  base::Layout layout = sparse::share_rows(ranks, all, backend.host());
  auto matrix = std::make_unique<sparse::SharedMatrix>(ranks, all, layout, storage, backend);
  MeasuredProduct description = describe(*matrix, storage, stopwatch.seconds());
  return {{std::move(matrix), RowsIn::canonical_order, std::move(description)}, std::move(layout)};
}

}  // namespace

SharedProduct share_product(const base::Communicator& ranks, const sparse::RowSource& rows,
                            const sparse::FormatOptions& storage, const base::Backend& backend,
                            const Watch& watch, Computed* computed) {
  if (ranks.size() == 1) return {prepare_product(rows, storage, backend, watch, computed)};
  Computed none;
  SharedProduct found =
      computes_any(storage)
          ? share_computed(ranks, rows, storage, backend, computed == nullptr ? none : *computed)
          : share_stored(ranks, rows, storage, backend, watch);
  sum_over(ranks, found.prepared.description);
  return found;
}

}  // namespace cisolve::job
