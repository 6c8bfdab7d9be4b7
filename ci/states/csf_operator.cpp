#include "ci/states/csf_operator.hpp"

#include <algorithm>

#include "base/multivector.hpp"

namespace cisolve::ci {
namespace {

constexpr int kColumns = 4;  // at once: the vectors of the determinants are the larger ones

}  // namespace

void CsfOperator::apply(base::ConstBlock x, base::Block y) const {
  const base::Backend host = backend_.host();
  const Index rows = basis_.determinants();
  for (int j = 0; j < x.columns; j += kColumns) {
    const int columns = std::min(kColumns, x.columns - j);
    base::MultiVector vectors(host, rows, columns, "vectors of determinants");
    if (backend_.is_host()) {
      base::MultiVector images(host, rows, columns, "images of determinants");
      basis_.expand(x.slice(j, columns), vectors.block());
      determinants_.apply(std::as_const(vectors).block(), images.block());
      basis_.contract(std::as_const(images).block(), y.slice(j, columns));
      continue;
    }
    auto functions = base::MultiVector::copy_of(backend_, x.slice(j, columns), host);
    basis_.expand(std::as_const(functions).block(), vectors.block());
    const base::MultiVector there = vectors.to(backend_);
    base::MultiVector images(backend_, rows, columns, "images of determinants");
    determinants_.apply(there.block(), images.block());
    basis_.contract(std::as_const(images).to(host).block(), functions.block());
    for (int c = 0; c < columns; ++c)
      base::copy_bytes(host, functions.block().column(c), backend_, y.column(j + c),
                       y.rows * Index{sizeof(double)});
  }
}

bool CsfOperator::diagonal(base::Block d) const {
  if (diagonal_.size() == 0) return false;
  base::copy_bytes(diagonal_.backend(), diagonal_.data(), backend_, d.column(0), diagonal_.bytes());
  return true;
}

}  // namespace cisolve::ci
