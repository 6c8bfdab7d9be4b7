#pragma once

#include "base/block_kernels.hpp"
#include "ci/hamiltonian/parity/parity_operators.hpp"
#include "tests/support/distributed_products.hpp"

// Products of parity blocks with distributed alpha strings: bitwise equal to those of one process.
namespace cisolve::ci {
namespace {  // NOLINT: of each program its own

class DistributedParity : public test::BackendTest {};

const ParityOperator& flips_of(const base::LinearOperator& product) {
  return dynamic_cast<const ParityOperator&>(product);
}

void expect_rows(const base::MultiVector& found, const base::MultiVector& wanted) {
  ASSERT_EQ(found.rows(), wanted.rows());
  for (int j = 0; j < wanted.columns(); ++j)
    for (Index i = 0; i < wanted.rows(); ++i)
      ASSERT_EQ(found(i, j), wanted(i, j)) << i << ", " << j;
}

base::MultiVector expanded_by(const ParityBlockOperator& one, const base::MultiVector& x,
                              Index rows) {
  base::MultiVector whole(of_rank(), rows, x.columns());
  base::block_kernels(of_rank()).fill(of_rank(), 7,
                                      whole.block());  // all elements must be overwritten
  one.expand(x.to(of_rank()).block(), whole.block());
  return whole.to(one_thread());
}

/// visit(the Hamiltonian, its product, the parity) for each kind.
template <class Visit>
void for_each_flipped(Visit visit) {
  for (const NamedHamiltonian& named : test::flipped_kinds()) {
    const auto product = FactorisedHamiltonian(named.rows()).product(of_rank());
    for (const Parity parity : {Parity::even, Parity::odd}) {
      SCOPED_TRACE(base::concat(named.name, parity == Parity::even ? ", even" : ", odd"));
      ASSERT_NO_FATAL_FAILURE(visit(named, flips_of(*product), parity));
    }
  }
}

TEST_F(DistributedParity, GiveTheBitsOfOneProcess) {
  for_each_flipped([](const NamedHamiltonian& named, const ParityOperator& product, Parity parity) {
    const ParityBlockOperator one(product, parity);
    const base::MultiVector x = test::random_vectors(one.rows(), 3, 3);
    const base::MultiVector expected = product_of(one, x);
    const base::MultiVector diagonal = diagonal_of(one);
    const base::MultiVector whole = expanded_by(one, x, product.rows());
    for (const int size : test::rank_runner.sizes())
      test::rank_runner.run(size, [&](const base::Communicator& ranks) {
        SCOPED_TRACE(base::concat("on ", size));
        const base::DistributedOperator of_whole = distributed_computed(ranks, named.rows());
        auto made = std::make_unique<ParityBlockOperator>(flips_of(*of_whole.product), parity);
        const ParityBlockOperator& mine = *made;
        const base::DistributedOperator shared{std::move(made), mine.layout()};
        ASSERT_NO_FATAL_FAILURE(expect_own_rows(shared, ranks.rank(), x, expected));
        expect_diagonal(shared, ranks.rank(), diagonal);
        const base::MultiVector halves = own_rows(shared.layout, ranks.rank(), x);
        ASSERT_NO_FATAL_FAILURE(expect_rows(expanded_by(mine, halves, of_whole.product->rows()),
                                            own_rows(of_whole.layout, ranks.rank(), whole)));
      });
  });
}

/// Images are read back by half; nothing of the other parity remains.
TEST_F(DistributedParity, AreTheComponentsOfAParity) {
  for_each_flipped([](const NamedHamiltonian& named, const ParityOperator& product, Parity parity) {
    const ParityBlockOperator one(product, parity);
    const base::MultiVector x = test::random_vectors(one.rows(), 1, 3);
    const base::MultiVector whole = expanded_by(one, x, product.rows());
    for (const int size : test::rank_runner.sizes())
      test::rank_runner.run(size, [&](const base::Communicator& ranks) {
        SCOPED_TRACE(base::concat("on ", size));
        const base::DistributedOperator of_whole = distributed_computed(ranks, named.rows());
        const ParityPairOperator both(flips_of(*of_whole.product));
        const base::MultiVector rows = own_rows(of_whole.layout, ranks.rank(), whole);
        for (const Parity side : {Parity::even, Parity::odd}) {
          const ParityBlockOperator& mine = both.of(side);
          base::copy_bytes(one_thread(), rows.block().data, of_rank(), mine.vectors().y().data,
                           rows.rows() * Index{sizeof(double)});
          base::MultiVector found(of_rank(), mine.rows(), 1);
          base::block_kernels(of_rank()).fill(of_rank(), 7, found.block());
          mine.contract_image(found.block().data);
          const base::MultiVector halves = found.to(one_thread());
          for (const base::Layout::Piece& piece : mine.layout().pieces_of(ranks.rank()))
            for (Index i = 0; i < piece.count; ++i)
              ASSERT_NEAR(halves(piece.at + i, 0), side == parity ? x(piece.first + i, 0) : 0,
                          1e-15)
                  << piece.first + i;
        }
      });
  });
}

/// Writes a rank's coefficients of both parities as inputs of products.
void put_sources(const ParityPairOperator& both, int rank, const base::MultiVector& even,
                 const base::MultiVector& odd) {
  const auto put = [&](Parity parity, const base::MultiVector& x) {
    const base::MultiVector mine = own_rows(both.of(parity).layout(), rank, x).to(of_rank());
    base::block_kernels(of_rank()).copy(of_rank(), mine.block(), both.source(parity));
  };
  put(Parity::even, even);
  put(Parity::odd, odd);
}

TEST_F(DistributedParity, OfBothParitiesGiveTheBitsOfOneProcess) {
  constexpr double kShift = -1.5;
  for (const NamedHamiltonian& named : test::flipped_kinds()) {
    SCOPED_TRACE(named.name);
    const auto product = FactorisedHamiltonian(named.rows()).product(of_rank());
    const ParityPairOperator one(flips_of(*product));
    const base::MultiVector even = test::random_vectors(one.of(Parity::even).rows(), 1, 3);
    const base::MultiVector odd = test::random_vectors(one.of(Parity::odd).rows(), 1, 4);
    const auto image = [](const ParityPairOperator& of, Parity parity) {
      return base::MultiVector::copy_of(of_rank(), of.image(parity), one_thread());
    };
    std::vector<base::MultiVector> expected;
    put_sources(one, 0, even, odd);
    one.multiply_both(kShift);
    for (const Parity parity : {Parity::even, Parity::odd}) expected.push_back(image(one, parity));
    for (const Parity parity : {Parity::even, Parity::odd}) {
      put_sources(one, 0, even, odd);
      one.multiply(parity, kShift);
      expected.push_back(image(one, parity));
    }
    for (const int size : test::rank_runner.sizes())
      test::rank_runner.run(size, [&](const base::Communicator& ranks) {
        SCOPED_TRACE(base::concat("on ", size));
        const base::DistributedOperator of_whole = distributed_computed(ranks, named.rows());
        const ParityPairOperator both(flips_of(*of_whole.product));
        const auto expect = [&](int which, Parity parity) {
          expect_rows(image(both, parity),
                      own_rows(both.of(parity).layout(), ranks.rank(), expected[which]));
        };
        put_sources(both, ranks.rank(), even, odd);
        both.multiply_both(kShift);
        expect(0, Parity::even);
        expect(1, Parity::odd);
        for (const int which : {0, 1}) {
          const Parity parity = which == 0 ? Parity::even : Parity::odd;
          put_sources(both, ranks.rank(), even, odd);
          both.multiply(parity, kShift);
          expect(2 + which, parity);
        }
      });
  }
}

}  // namespace
}  // namespace cisolve::ci
