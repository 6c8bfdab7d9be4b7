#include "job/states/model_elements.hpp"

#include <algorithm>
#include <cmath>

#include "base/loops.hpp"
#include "ci/hamiltonian/rows/lowest_diagonal.hpp"
#include "ci/oracle/element.hpp"

namespace cisolve::job {

Index grain_of_elements(Index rows) {
  constexpr Index kElements = 32768;
  return std::max<Index>(kElements / std::max<Index>(rows, 1), 1);
}

void ModelElements::fill(std::span<const Index> rows, std::span<const Index> columns,
                         base::SmallMatrix& block) const {
  const auto determinants_of = [&](std::span<const Index> those) {
    std::vector<ci::Determinant> found;
    for (const Index row : those) found.push_back(molecule_.space.determinant(row));
    return found;
  };
  const bool is_symmetric = is_square(rows, columns);
  const std::vector<ci::Determinant> bras = determinants_of(rows);
  const std::vector<ci::Determinant> of_columns =
      is_symmetric ? std::vector<ci::Determinant>() : determinants_of(columns);
  const std::vector<ci::Determinant>& kets = is_symmetric ? bras : of_columns;
  const auto element = [&](int i, int j) {
    const double value = ci::element(molecule_.integrals, bras[i], kets[j]);
    return bras[i] == kets[j] || std::abs(value) > threshold_ ? value : 0;
  };
  base::for_each_chunk(block.columns(), grain_of_elements(block.rows()), molecule_.space.host(),
                       [&](Index first, Index last) {
                         for (auto j = static_cast<int>(first); j < last; ++j) {
                           const int end = is_symmetric ? j + 1 : block.rows();
                           for (int i = 0; i < end; ++i) block(i, j) = element(i, j);
                           if (is_symmetric)
                             for (int i = 0; i < j; ++i) block(j, i) = block(i, j);
                         }
                       });
}

/// Finds more than requested: later calls request more, for which most of the work is the same.
std::vector<Index> ModelElements::lowest(Index count) const {
  constexpr Index kAtOnce = 512;
  const std::lock_guard lock(guard_);
  count = std::min(count, molecule_.space.dimension());
  const auto find = [this](Index wanted) {
    if (std::ssize(lowest_) >= wanted || wanted >= too_many_) return;
    std::vector<Index> found = ci::lowest_of_diagonal(molecule_.space, molecule_.integrals, wanted);
    if (found.empty()) too_many_ = wanted;
    if (!found.empty()) lowest_ = std::move(found);
  };
  if (std::ssize(lowest_) < count)
    find(std::min(std::max(count, kAtOnce), molecule_.space.dimension()));
  find(count);
  if (std::ssize(lowest_) < count) return {};
  std::vector<Index> rows(lowest_.begin(), lowest_.begin() + count);
  std::ranges::sort(rows);
  return rows;
}

}  // namespace cisolve::job
