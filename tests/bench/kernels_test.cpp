#include <gtest/gtest.h>

#include "base/multivector.hpp"
#include "bench/products/kernels.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/products.hpp"

namespace cisolve::bench {
namespace {

using base::MultiVector;
using test::Elements;

class Kernels : public test::BackendTest {};

/// A matrix, some vectors, and what the product must be.
struct Case {
  Case(const Elements& elements, int vectors)
      : matrix("elements", sparse::build_csr(test::ElementRows(elements), base::Backend::openmp())),
        x(test::random_vectors(matrix.columns(), vectors, 3)),
        exact(test::exact_products(elements, x)) {}
  Workload matrix;
  MultiVector x;
  std::vector<std::vector<test::ExactRow>> exact;
};

/// The kernels that run on the backend under test; the host's are those of openmp.
std::vector<Kernel> kernels_under_test() {
  std::vector<Kernel> kernels = all_kernels({1, 2});
  const std::string backend = test::backend_name();
  std::erase_if(kernels,
                [&](const Kernel& kernel) { return base::name_of(kernel.backend) != backend; });
  return kernels;
}

/// y = alpha A x + beta y against the elements, row by row. Matrix and vectors share a backend,
/// whose stream keeps their work in order.
void expect_product(PreparedMatrix& prepared, const Kernel& kernel, const base::Backend& backend,
                    const Case& expected, double alpha, double beta) {
  const int vectors = expected.x.columns();
  const MultiVector old = test::old_result(expected.matrix.rows(), vectors, beta, 4);
  const MultiVector x_on_backend = expected.x.to(backend);
  MultiVector y_on_backend = old.to(backend);
  prepared.load(x_on_backend.block(), std::as_const(y_on_backend).block());
  prepared.multiply(alpha, x_on_backend.block(), beta, y_on_backend.block());
  prepared.store(y_on_backend.block());
  const MultiVector y = y_on_backend.to(base::Backend::reference());
  const double tolerance = kernel.precision == Precision::double_precision ? 1e-14 : 4e-6;
  test::expect_products(y, expected.exact, alpha, beta, old, tolerance);
}

/// Tests y = A x and y = alpha A x + beta y with every kernel that accepts the matrix; returns the
/// number of these kernels.
int expect_products(const Case& expected) {
  const base::Backend backend = test::backend_under_test();
  int taken = 0;
  const int vectors = expected.x.columns();
  for (const Kernel& kernel : kernels_under_test()) {
    if (!kernel.refusal(expected.matrix, vectors).empty()) continue;
    SCOPED_TRACE(full_name(kernel));
    const auto prepared = kernel.prepare(expected.matrix, backend, vectors);
    expect_product(*prepared, kernel, backend, expected, 1, 0);
    expect_product(*prepared, kernel, backend, expected, -0.5, 2);
    ++taken;
  }
  return taken;
}

TEST_F(Kernels, EachAgreesWithTheElementsOnAwkwardMatrices) {
  for (const auto& [name, elements] : test::awkward_matrices()) {
    SCOPED_TRACE(name);
    expect_products(Case(elements, 1));
  }
}

TEST_F(Kernels, EachAcceptsBlocksOrDeclines) {
  if (test::backend_name() == "reference") GTEST_SKIP() << "has no kernels of its own here";
  const Elements elements = test::random_elements({3, 0, 70, 12, 33, 1, 32, 31, 64, 65, 2}, 90, 3);
  for (const int vectors : {2, 4, 5, 8}) EXPECT_GT(expect_products(Case(elements, vectors)), 0);
}

TEST_F(Kernels, EachAcceptsManyRowsAndOneLongOne) {
  std::vector<Index> lengths(6000);
  for (Index i = 0; i < 6000; ++i) lengths[i] = (i * 31) % 50;
  lengths[4321] = 10000;
  expect_products(Case(test::random_elements(lengths, 12000, 9), 1));
}

// Few distinct values, as in lattice models, so that kernels with coded values accept the matrix.
TEST_F(Kernels, EachAcceptsFewDistinctValues) {
  Elements elements = test::random_elements(std::vector<Index>(500, 9), 500, 3);
  for (auto& [place, value] : elements.at) value = value < 0 ? -1 : 0.1;
  const Case few(elements, 1);
  expect_products(few);
  for (const Kernel& kernel : kernels_under_test())
    if (kernel.name.ends_with("/sell-coded")) {
      EXPECT_EQ(kernel.refusal(few.matrix, 1), "");
    }
}

}  // namespace
}  // namespace cisolve::bench
