#include "ci/states/csf_operator.hpp"

#include <algorithm>
#include <utility>

namespace cisolve::ci {

CsfOperator::CsfOperator(const base::LinearOperator& determinants, const CsfChange& change,
                         const base::Array<double>& diagonal, const base::Backend& backend)
    : determinants_(determinants),
      change_(change),
      diagonal_(diagonal),
      backend_(backend),
      vectors_(backend, change.basis().determinants(),
               base::held_columns(backend, 2 * change.basis().determinants()),
               "vectors of determinants"),
      images_(backend, change.basis().determinants(), vectors_.columns(),
              "images of determinants") {}

void CsfOperator::apply(base::ConstBlock x, base::Block y) const {
  const bool travels = change_.backend().is_host() && !backend_.is_host();
  const int most = vectors_.columns();
  for (int j = 0; j < x.columns; j += most) {
    const int columns = std::min(most, x.columns - j);
    if (travels)
      multiply_through_host(x.slice(j, columns), y.slice(j, columns));
    else
      multiply(x.slice(j, columns), y.slice(j, columns));
  }
}

void CsfOperator::multiply(base::ConstBlock x, base::Block y) const {
  const base::Block vectors = vectors_.block(0, x.columns);
  const base::Block images = images_.block(0, x.columns);
  change_.expand(x, vectors);
  determinants_.apply(vectors, images);
  change_.contract(images, y);
}

void CsfOperator::multiply_through_host(base::ConstBlock x, base::Block y) const {
  const base::Backend host = backend_.host();
  const base::Block vectors = vectors_.block(0, x.columns);
  const base::Block images = images_.block(0, x.columns);
  base::MultiVector here(host, vectors.rows, x.columns, "vectors of determinants");
  auto functions = base::MultiVector::copy_of(backend_, x, host);
  change_.expand(std::as_const(functions).block(), here.block());
  base::copy_columns(host, here.block(), backend_, vectors);
  determinants_.apply(vectors, images);
  base::copy_columns(backend_, images, host, here.block());
  change_.contract(std::as_const(here).block(), functions.block());
  base::copy_columns(host, functions.block(), backend_, y);
}

bool CsfOperator::diagonal(base::Block d) const {
  if (diagonal_.size() == 0) return false;
  base::copy_bytes(diagonal_.backend(), diagonal_.data(), backend_, d.column(0), diagonal_.bytes());
  return true;
}

}  // namespace cisolve::ci
