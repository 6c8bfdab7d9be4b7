#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/block_kernels.hpp"
#include "ci/hamiltonian/parity/parity_operators.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/factorised_systems.hpp"

// Products and transforms in the basis of one parity.
namespace cisolve::ci {
namespace {

class ParityBasisTest : public test::BackendTest {
 protected:
  const base::Backend host_ = base::Backend::openmp();
  const base::Backend backend_ = test::backend_under_test();

  /// Calls visit(Hamiltonian, its product, its product in the basis of a parity) for each
  /// Hamiltonian and parity.
  template <class Visit>
  void for_each_parity(Visit visit) {
    for (const test::NamedHamiltonian& named : test::flipped_kinds()) {
      const auto product = FactorisedHamiltonian(named.rows()).product(backend_);
      const auto* flips = dynamic_cast<const ParityOperator*>(product.get());
      ASSERT_NE(flips, nullptr);
      ASSERT_NE(flips->alpha_beta_swap(), nullptr);
      for (const Parity parity : {Parity::even, Parity::odd}) {
        SCOPED_TRACE(base::concat(named.name, parity == Parity::even ? ", even" : ", odd"));
        ASSERT_NO_FATAL_FAILURE(visit(named, *flips, ParityBlockOperator(*flips, parity)));
      }
    }
  }

  base::MultiVector random(Index rows, int columns) const {
    base::MultiVector x(backend_, rows, columns);
    base::block_kernels(backend_).randomise(backend_, 3, x.block());
    return x;
  }
  base::SmallMatrix gram(base::ConstBlock x, base::ConstBlock y) const {
    base::SmallMatrix g(x.columns, y.columns);
    base::block_kernels(backend_).gram(backend_, x, y, g);
    return g;
  }
};

double sign_of(const ParityBlockOperator& one) {
  return one.basis().parity() == Parity::even ? 1 : -1;
}

TEST_F(ParityBasisTest, BothParitiesAreAllVectors) {
  for (const test::NamedHamiltonian& named : test::flipped_kinds()) {
    SCOPED_TRACE(named.name);
    const auto product = FactorisedHamiltonian(named.rows()).product(backend_);
    const auto* flips = dynamic_cast<const ParityOperator*>(product.get());
    const ParityBlockOperator even(*flips, Parity::even);
    const ParityBlockOperator odd(*flips, Parity::odd);
    EXPECT_EQ(even.rows() + odd.rows(), product->rows());
    Index own = 0;
    for (Index row = 0; row < product->rows(); ++row) {
      const Determinant determinant = named.space->determinant(row);
      own += determinant.alpha == determinant.beta ? 1 : 0;
    }
    EXPECT_EQ(even.rows() - odd.rows(), own);
  }
}

TEST_F(ParityBasisTest, ExpandedVectorsAreOfTheParityWithTheSameInnerProducts) {
  for_each_parity([&](const test::NamedHamiltonian& named, const ParityOperator& product,
                      const ParityBlockOperator& one) {
    const base::MultiVector coefficients = random(one.rows(), 2);
    base::MultiVector whole(backend_, product.rows(), 2);
    // Numbers that must all be overwritten.
    base::block_kernels(backend_).fill(backend_, 7, whole.block());
    one.expand(coefficients.block(), whole.block());
    const base::SmallMatrix of_coefficients = gram(coefficients.block(), coefficients.block());
    const base::SmallMatrix of_whole = gram(whole.block(), whole.block());
    for (std::size_t i = 0; i < of_coefficients.values().size(); ++i)
      EXPECT_NEAR(of_coefficients.values()[i], of_whole.values()[i],
                  1e-12 * static_cast<double>(product.rows()));
    const base::MultiVector x = whole.to(host_);
    for (Index row = 0; row < x.rows(); ++row) {
      const Determinant determinant = named.space->determinant(row);
      const Index swapped = named.space->row_of({determinant.beta, determinant.alpha}).value();
      for (int j = 0; j < 2; ++j) ASSERT_EQ(x(row, j), sign_of(one) * x(swapped, j)) << row;
    }
  });
}

TEST_F(ParityBasisTest, AProductAgreesWithThatOfWholeVectors) {
  for_each_parity([&](const test::NamedHamiltonian&, const ParityOperator& product,
                      const ParityBlockOperator& one) {
    const base::MultiVector x = random(one.rows(), 3);
    base::MultiVector y(backend_, one.rows(), 3);
    one.apply(x.block(), y.block());
    base::MultiVector whole_x(backend_, product.rows(), 3);
    base::MultiVector whole_y(backend_, product.rows(), 3);
    base::MultiVector image(backend_, product.rows(), 3);
    one.expand(x.block(), whole_x.block());
    product.apply(whole_x.block(), whole_y.block());
    one.expand(y.block(), image.block());
    const base::MultiVector expected = whole_y.to(host_);
    const base::MultiVector found = image.to(host_);
    double size = 0;
    for (Index row = 0; row < found.rows(); ++row)
      size = std::max(size, std::abs(expected(row, 0)));
    for (Index row = 0; row < found.rows(); ++row)
      for (int j = 0; j < 3; ++j)
        ASSERT_NEAR(found(row, j), expected(row, j), 1e-12 * size) << row << ", " << j;
  });
}

/// Multiplies an even and an odd vector at once, then each alone, and compares the images with
/// those of ParityBlockOperator. All sources and images lie in the two buffers for whole vectors,
/// so that a product destroys its sources.
TEST_F(ParityBasisTest, AProductOfBothParitiesAgreesWithThatOfEach) {
  constexpr double kShift = -1.5;
  for (const test::NamedHamiltonian& named : test::flipped_kinds()) {
    SCOPED_TRACE(named.name);
    const auto product = FactorisedHamiltonian(named.rows()).product(backend_);
    const auto* flips = dynamic_cast<const ParityOperator*>(product.get());
    ASSERT_NE(flips, nullptr);
    const ParityPairOperator both(*flips);
    std::vector<base::MultiVector> sources;
    std::vector<base::MultiVector> images;
    for (const Parity parity : {Parity::even, Parity::odd}) {
      sources.push_back(random(both.of(parity).rows(), 1));
      images.emplace_back(backend_, both.of(parity).rows(), 1);
      ParityBlockOperator(*flips, parity).apply(sources.back().block(), images.back().block());
      base::block_kernels(backend_).axpy(backend_, std::vector{-kShift}, sources.back().block(),
                                         images.back().block());
    }
    const auto put = [&](int which, Parity parity) {
      base::block_kernels(backend_).copy(backend_, sources[which].block(), both.source(parity));
    };
    const auto expect = [&](int which, Parity parity) {
      const auto found = base::MultiVector::copy_of(backend_, both.image(parity), host_);
      const base::MultiVector expected = images[which].to(host_);
      for (Index i = 0; i < found.rows(); ++i)
        ASSERT_NEAR(found(i, 0), expected(i, 0), 1e-11) << which << ", " << i;
    };
    put(0, Parity::even);
    put(1, Parity::odd);
    both.multiply_both(kShift);
    expect(0, Parity::even);
    expect(1, Parity::odd);
    for (const int which : {0, 1}) {
      const Parity parity = which == 0 ? Parity::even : Parity::odd;
      put(which, parity);
      both.multiply(parity, kShift);
      expect(which, parity);
    }
  }
}

/// Multiplies unit vectors, so that the diagonal is isolated.
TEST_F(ParityBasisTest, TheDiagonalAgreesWithTheProduct) {
  for_each_parity(
      [&](const test::NamedHamiltonian&, const ParityOperator&, const ParityBlockOperator& one) {
        base::MultiVector d(backend_, one.rows(), 1);
        ASSERT_TRUE(one.diagonal(d.block()));
        const base::MultiVector diagonal = d.to(host_);
        const Index step = std::max<Index>(1, one.rows() / 97);
        for (Index row = 0; row < one.rows(); row += step) {
          base::MultiVector unit(host_, one.rows(), 1);
          for (Index i = 0; i < one.rows(); ++i) unit(i, 0) = i == row ? 1 : 0;
          const base::MultiVector x = unit.to(backend_);
          base::MultiVector y(backend_, one.rows(), 1);
          one.apply(x.block(), y.block());
          ASSERT_NEAR(gram(x.block(), y.block())(0, 0), diagonal(row, 0), 1e-11) << row;
        }
      });
}

TEST_F(ParityBasisTest, IndicesOfFunctionsAndOfDeterminantsCorrespond) {
  for_each_parity([&](const test::NamedHamiltonian& named, const ParityOperator& product,
                      const ParityBlockOperator& one) {
    const ParityBasis& basis = one.basis();
    std::vector<int> met(one.rows(), 0);
    for (Index row = 0; row < product.rows(); ++row) {
      const Index half = basis.half_of(row);
      const Determinant determinant = named.space->determinant(row);
      const Index swapped = named.space->row_of({determinant.beta, determinant.alpha}).value();
      if (half < 0) {
        ASSERT_EQ(row, swapped);
        ASSERT_EQ(basis.parity(), Parity::odd);
        continue;
      }
      ++met[half];
      const auto [first, second] = basis.rows_of(half);
      ASSERT_TRUE((first == row && second == swapped) || (first == swapped && second == row))
          << row;
    }
    for (Index half = 0; half < one.rows(); ++half) {
      const auto [first, second] = basis.rows_of(half);
      ASSERT_EQ(met[half], first == second ? 1 : 2) << half;
    }
  });
}

}  // namespace
}  // namespace cisolve::ci
