#include "ci/hamiltonian/csf/csf_operator.hpp"

#include <algorithm>

namespace cisolve::ci {

CsfOperator::CsfOperator(const base::LinearOperator& determinants, const CsfTransform& change,
                         const base::Array<double>& diagonal)
    : determinants_(determinants),
      change_(change),
      diagonal_(diagonal),
      vectors_(change.backend(), change.basis().determinants(),
               base::preallocated_columns(change.backend(), 2 * change.basis().determinants()),
               "vectors of determinants"),
      images_(change.backend(), change.basis().determinants(), vectors_.columns(),
              "images of determinants") {}

void CsfOperator::apply(base::ConstBlock x, base::Block y) const {
  const int most = vectors_.columns();
  for (int j = 0; j < x.columns; j += most) {
    const int columns = std::min(most, x.columns - j);
    const base::Block vectors = vectors_.block(0, columns);
    const base::Block images = images_.block(0, columns);
    change_.expand(x.slice(j, columns), vectors);
    determinants_.apply(vectors, images);
    change_.contract(images, y.slice(j, columns));
  }
}

bool CsfOperator::diagonal(base::Block d) const {
  if (diagonal_.size() == 0) return false;
  base::copy_bytes(diagonal_.backend(), diagonal_.data(), change_.backend(), d.column(0),
                   diagonal_.bytes());
  return true;
}

}  // namespace cisolve::ci
