#include "job/states/model_elements.hpp"

#include <cmath>

#include "base/loops.hpp"
#include "ci/hamiltonian/element.hpp"
#include "ci/selection/lowest_diagonal.hpp"

namespace cisolve::job {
namespace {

constexpr Index kGrain = 8;  // columns of a block

}  // namespace

void ModelElements::fill(std::span<const Index> rows, base::SmallMatrix& block) const {
  std::vector<ci::Determinant> determinants;
  for (const Index row : rows) determinants.push_back(molecule_.space.determinant(row));
  base::for_each_chunk(
      block.columns(), kGrain, molecule_.space.host(), [&](Index first, Index last) {
        for (auto j = static_cast<int>(first); j < last; ++j) {
          block(j, j) = ci::element(molecule_.integrals, determinants[j], determinants[j]);
          for (int i = 0; i < j; ++i) {
            const double value = ci::element(molecule_.integrals, determinants[i], determinants[j]);
            block(i, j) = block(j, i) = std::abs(value) > threshold_ ? value : 0;
          }
        }
      });
}

std::vector<Index> ModelElements::lowest(Index count) const {
  return ci::lowest_of_diagonal(molecule_.space, molecule_.integrals, count);
}

}  // namespace cisolve::job
