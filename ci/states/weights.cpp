#include "ci/states/weights.hpp"

#include <algorithm>
#include <cmath>

#include "ci/spaces/spaces.hpp"

namespace cisolve::ci {
namespace {

/// Calls visit(row, label) for all rows, in order.
template <class Visit>
void for_each_label(const Space& space, std::span<const int> labels, Visit&& visit) {
  std::vector<int> betas;
  for (const String& beta : space.strings(Spin::beta)) betas.push_back(irrep_of(beta, labels));
  Index row = 0;
  for (Index a = 0; a < std::ssize(space.strings(Spin::alpha)); ++a) {
    const int alpha = irrep_of(space.strings(Spin::alpha)[a], labels);
    for (const StringNumber b : space.betas_of(a)) visit(row++, alpha ^ betas[b]);
  }
}

}  // namespace

std::vector<Index> dominant_rows(const Space& space, const double* x, Index count) {
  const auto before = [x](Index i, Index j) {
    const double first = std::abs(x[i]);
    const double second = std::abs(x[j]);
    return first != second ? first > second : i < j;
  };
  // A heap whose front is the least of those kept.
  std::vector<Index> kept;
  for (Index row = 0; row < space.dimension() && count > 0; ++row) {
    if (std::ssize(kept) == count) {
      if (!before(row, kept.front())) continue;
      std::ranges::pop_heap(kept, before);
      kept.pop_back();
    }
    kept.push_back(row);
    std::ranges::push_heap(kept, before);
  }
  std::ranges::sort_heap(kept, before);
  return kept;
}

std::array<double, 8> irrep_weights(const Space& space, std::span<const int> labels,
                                    const double* x) {
  std::array<double, 8> weights{};
  for_each_label(space, labels, [&](Index row, int label) { weights[label] += x[row] * x[row]; });
  return weights;
}

double weight_of(const Space& space, std::span<const Determinant> determinants, const double* x) {
  std::vector<Index> rows;
  for (const Determinant& determinant : determinants)
    if (const auto row = space.row_of(determinant)) rows.push_back(*row);
  std::ranges::sort(rows);
  const auto repeats = std::ranges::unique(rows);
  rows.erase(repeats.begin(), repeats.end());
  double weight = 0;
  for (const Index row : rows) weight += x[row] * x[row];
  return weight;
}

IrrepLabels::IrrepLabels(const Space& space, std::span<const int> labels)
    : labels_(space.host(), space.dimension(), "the irreps of the determinants") {
  for_each_label(space, labels,
                 [&](Index row, int label) { labels_[row] = static_cast<std::int8_t>(label); });
}

void IrrepLabels::apply(base::ConstBlock x, base::Block y) const {
  for (int j = 0; j < x.columns; ++j)
    for (Index row = 0; row < rows(); ++row) y(row, j) = labels_[row] * x(row, j);
}

}  // namespace cisolve::ci
