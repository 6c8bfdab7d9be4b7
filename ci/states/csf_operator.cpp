#include "ci/states/csf_operator.hpp"

#include <algorithm>

namespace cisolve::ci {
namespace {

constexpr int kColumns = 4;  // at once: the vectors of the determinants are the larger ones

}  // namespace

void CsfOperator::apply(base::ConstBlock x, base::Block y) const {
  const bool travels = change_.backend().is_host() && !backend_.is_host();
  for (int j = 0; j < x.columns; j += kColumns) {
    const int columns = std::min(kColumns, x.columns - j);
    if (travels)
      multiply_through_host(x.slice(j, columns), y.slice(j, columns));
    else
      multiply(x.slice(j, columns), y.slice(j, columns));
  }
}

void CsfOperator::multiply(base::ConstBlock x, base::Block y) const {
  if (!images_ || images_->columns() < x.columns) {
    vectors_.reset();
    images_.reset();
    const Index rows = change_.basis().determinants();
    vectors_.emplace(backend_, rows, x.columns, "vectors of determinants");
    images_.emplace(backend_, rows, x.columns, "images of determinants");
  }
  const base::Block vectors = vectors_->block(0, x.columns);
  const base::Block images = images_->block(0, x.columns);
  change_.expand(x, vectors);
  determinants_.apply(vectors, images);
  change_.contract(images, y);
}

void CsfOperator::multiply_through_host(base::ConstBlock x, base::Block y) const {
  const base::Backend host = backend_.host();
  const Index rows = change_.basis().determinants();
  base::MultiVector vectors(host, rows, x.columns, "vectors of determinants");
  auto functions = base::MultiVector::copy_of(backend_, x, host);
  change_.expand(std::as_const(functions).block(), vectors.block());
  const base::MultiVector there = vectors.to(backend_);
  base::MultiVector images(backend_, rows, x.columns, "images of determinants");
  determinants_.apply(there.block(), images.block());
  change_.contract(std::as_const(images).to(host).block(), functions.block());
  for (int j = 0; j < x.columns; ++j)
    base::copy_bytes(host, functions.block().column(j), backend_, y.column(j),
                     y.rows * Index{sizeof(double)});
}

bool CsfOperator::diagonal(base::Block d) const {
  if (diagonal_.size() == 0) return false;
  base::copy_bytes(diagonal_.backend(), diagonal_.data(), backend_, d.column(0), diagonal_.bytes());
  return true;
}

}  // namespace cisolve::ci
