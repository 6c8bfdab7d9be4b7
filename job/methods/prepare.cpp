#include "job/methods/prepare.hpp"

#include <array>

namespace cisolve::job {
namespace {

/// Sums counts and bytes over the ranks; values that may differ between ranks are those of the
/// first.
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

}  // namespace

PreparedProduct prepare_product(const ProblemRows& rows, const ProductForm& form,
                                const base::Backend& backend, const Watch& watch,
                                ProductDrafts* computed) {
  ProductDrafts none;
  return form.method->build({rows, form, backend, watch, computed == nullptr ? none : *computed});
}

DistributedProduct build_distributed_product(const base::Communicator& ranks,
                                             const ProblemRows& rows, const ProductForm& form,
                                             const base::Backend& backend, const Watch& watch,
                                             ProductDrafts* computed) {
  if (ranks.size() == 1) return {prepare_product(rows, form, backend, watch, computed)};
  ProductDrafts none;
  DistributedProduct found = form.method->build_distributed(
      ranks, {rows, form, backend, watch, computed == nullptr ? none : *computed});
  sum_over(ranks, found.prepared.description);
  return found;
}

MeasuredProduct measure_product(const ProblemRows& rows, const sparse::FormatOptions& storage,
                                const base::Backend& backend, const Request::Product& how) {
  sparse::FormatOptions fitting = storage;
  fitting.vectors = static_cast<int>(how.vectors);
  PreparedProduct prepared = prepare_product(rows, stored_form(std::move(fitting)), backend);
  measure_product(prepared, backend, rows, how);
  return prepared.description;
}

}  // namespace cisolve::job
