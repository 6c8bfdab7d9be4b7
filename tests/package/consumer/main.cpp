#include <iostream>
#include <vector>

#include "base/block_kernels.hpp"
#include "base/multivector.hpp"
#include "base/operator.hpp"
#include "sparse/formats/csr.hpp"

namespace base = cisolve::base;
namespace sparse = cisolve::sparse;

/// A chain of hops: one on both sides of the diagonal, zero elsewhere.
class Chain final : public base::LinearOperator {
 public:
  explicit Chain(base::Index sites) : sites_(sites) {}
  base::Index rows() const override { return sites_; }
  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j)
      for (base::Index i = 0; i < sites_; ++i)
        y(i, j) = (i > 0 ? x(i - 1, j) : 0) + (i + 1 < sites_ ? x(i + 1, j) : 0);
  }

 private:
  base::Index sites_;
};

/// That chain as rows to be stored.
class ChainRows final : public sparse::RowSource {
 public:
  explicit ChainRows(base::Index sites) : sites_(sites) {}
  sparse::MatrixShape shape() const override { return {sites_, sites_, 0, true}; }
  void count(base::Index first, std::span<base::Column> lengths) const override {
    for (base::Index i = first; i < first + std::ssize(lengths); ++i)
      lengths[i - first] = (i > 0 ? 1 : 0) + (i + 1 < sites_ ? 1 : 0);
  }
  void fill(base::Index first, base::Index last, std::span<base::Column> columns,
            std::span<double> values) const override {
    base::Index next = 0;
    for (base::Index i = first; i < last; ++i)
      for (const base::Index neighbour : {i - 1, i + 1})
        if (neighbour >= 0 && neighbour < sites_) {
          columns[next] = static_cast<base::Column>(neighbour);
          values[next++] = 1;
        }
  }

 private:
  base::Index sites_;
};

int main() {
  constexpr base::Index kSites = 1000;
  const base::Backend backend = base::Backend::openmp();
  base::MultiVector x(backend, kSites, 2);
  base::MultiVector y(backend, kSites, 2);
  base::block_kernels(backend).randomise(backend, 1, x.block());
  Chain(kSites).apply(x.block(), y.block());

  const sparse::Csr stored = sparse::build_csr(ChainRows(kSites), backend);
  const sparse::CsrView rows = stored.view();
  for (int j = 0; j < x.columns(); ++j)
    for (base::Index i = 0; i < kSites; ++i) {
      double sum = 0;
      rows.visit(i, 0, 1, [&](base::Index k, double value) { sum += value * x(k, j); });
      if (sum != y(i, j)) {
        std::cerr << "row " << i << ": stored " << sum << ", computed " << y(i, j) << '\n';
        return 1;
      }
    }
  std::cout << stored.nonzeros() << " stored elements agree with the operator\n";
}
