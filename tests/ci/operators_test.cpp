#include "ci/hamiltonian/operators.hpp"

#include <gtest/gtest.h>

#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "base/multivector.hpp"
#include "ci/oracle/operators.hpp"
#include "sparse/stored/matrix.hpp"
#include "tests/ci/systems.hpp"
#include "tests/support/hamiltonians.hpp"

namespace cisolve::test {
namespace {

/// y = A x for a random x.
base::MultiVector image(const base::LinearOperator& a, const base::Backend& host) {
  base::MultiVector x(host, a.rows(), 2);
  base::MultiVector y(host, a.rows(), 2);
  base::block_kernels(host).randomise(host, 1, x.block());
  a.apply(x.block(), y.block());
  return y;
}

TEST(Operators, OfTheLibraryMultiplyAlike) {
  const base::Backend host = base::Backend::openmp();
  for (const System& system : systems()) {
    const ci::Integrals integrals =
        random_integrals(system.sector.orbitals, system.spin_dependent, 11, system.sector.irreps);
    const ci::Space space = ci::full_ci(system.sector, host);
    const auto stored =
        sparse::build_matrix(*ci::hamiltonian_rows(space, integrals), {.format = "csr"}, host);
    const base::MultiVector by_rows = image(*stored, host);
    const base::MultiVector by_factors =
        image(*ci::factorised_hamiltonian(space, integrals, host), host);
    const base::MultiVector by_oracle =
        image(*ci::oracle_hamiltonian(space, integrals, host), host);
    for (int j = 0; j < 2; ++j)
      for (base::Index i = 0; i < by_rows.rows(); ++i) {
        EXPECT_NEAR(by_factors(i, j), by_oracle(i, j), 1e-12) << system.name;
        EXPECT_NEAR(by_rows(i, j), by_oracle(i, j), 1e-12) << system.name;
      }
  }
}

TEST(Operators, ASpaceThatCannotBeFactorisedIsRefusedWithARemedy) {
  const ci::Space space = excited({.orbitals = 5, .alpha_electrons = 2, .beta_electrons = 2}, 2);
  const ci::Integrals integrals = random_integrals(5, false, 11, {});
  try {
    ci::factorised_hamiltonian(space, integrals, base::Backend::openmp());
    FAIL() << "it was factorised";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::bad_input);
    EXPECT_NE(std::string(error.what()).find("hamiltonian_rows() serves any space"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace cisolve::test
