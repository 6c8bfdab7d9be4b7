#include "job/states/model_elements.hpp"

#include <cmath>

#include "ci/hamiltonian/element.hpp"

namespace cisolve::job {

void ModelElements::fill(std::span<const Index> rows, base::SmallMatrix& block) const {
  std::vector<ci::Determinant> determinants;
  for (const Index row : rows) determinants.push_back(molecule_.space.determinant(row));
  for (int j = 0; j < block.columns(); ++j) {
    block(j, j) = ci::element(molecule_.integrals, determinants[j], determinants[j]);
    for (int i = 0; i < j; ++i) {
      const double value = ci::element(molecule_.integrals, determinants[i], determinants[j]);
      block(i, j) = block(j, i) = std::abs(value) > threshold_ ? value : 0;
    }
  }
}

}  // namespace cisolve::job
