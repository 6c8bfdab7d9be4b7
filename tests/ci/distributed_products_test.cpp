#include "tests/support/distributed_product_cases.hpp"

#include <cmath>
#include <numeric>

#include "ci/fock/spaces/string_partition.hpp"
#include "ci/hamiltonian/csf/csf_operator.hpp"
#include "ci/hamiltonian/csf/distributed_csf_operator.hpp"
#include "ci/hamiltonian/factorised/opposite_spin.hpp"
#include "ci/lattice/spins/site_model_rows.hpp"
#include "tests/ci/spin_systems.hpp"
#include "tests/support/thread_runner.hpp"

namespace cisolve::ci {
namespace {

/// Work and rows of the strings on each rank.
struct Distributed {
  std::vector<double> work;
  std::vector<double> rows;
};

Distributed distributed(const std::vector<Index>& first_row, const std::vector<double>& work,
                        int ranks) {
  const StringPartition strings(first_row, work, ranks);
  Distributed found{std::vector<double>(ranks), std::vector<double>(ranks)};
  for (std::size_t i = 0; i < work.size(); ++i) {
    const int rank = strings.rank_of(static_cast<Index>(i));
    EXPECT_EQ(strings.place_of(static_cast<Index>(i)), found.rows[rank]);
    found.work[rank] += work[i];
    found.rows[rank] += static_cast<double>(first_row[i + 1] - first_row[i]);
  }
  for (int r = 0; r < ranks; ++r)
    EXPECT_EQ(strings.layout().count(r), static_cast<Index>(found.rows[r]));
  EXPECT_EQ(strings.layout().rows(), first_row.back());
  return found;
}

TEST(StringPartition, BalancesWorkAndRowsOverRanks) {
  for (const double power : {0.0, 1.0, 2.0}) {
    std::vector<Index> first_row = {0};
    std::vector<double> work;
    for (int i = 0; i < 1000; ++i) {
      first_row.push_back(first_row.back() + 20);
      work.push_back(std::pow(1.0 + i, power));
    }
    const double all = std::accumulate(work.begin(), work.end(), 0.0);
    for (const int ranks : {1, 2, 3, 5, 7}) {
      const Distributed found = distributed(first_row, work, ranks);
      for (int r = 0; r < ranks; ++r) {
        SCOPED_TRACE(base::concat("power ", power, ", rank ", r, " of ", ranks));
        EXPECT_NEAR(found.work[r], all / ranks, 0.03 * all / ranks);
        EXPECT_NEAR(found.rows[r], 2e4 / ranks, 0.03 * 2e4 / ranks);
      }
    }
  }
}

TEST(StringPartition, AllowsFewerStringsThanRanksAndNoRowsOrWork) {
  for (const int ranks : {1, 2, 7}) {
    EXPECT_EQ(distributed({0, 3}, {1}, ranks).rows.size(), ranks);
    EXPECT_EQ(distributed({0, 0, 2, 2}, {0, 1, 0}, ranks).rows.size(), ranks);
    EXPECT_EQ(distributed({0, 1, 2}, {0, 0}, ranks).rows.size(), ranks);
  }
}

// Half of the elements are (a, b) with b before a, plus half of the (a, a).
TEST(StringPartition, UsesTheWorkOfEvenAndOddVectors) {
  const NamedHamiltonian named = test::named("full CI", test::random_integrals(9, false, 5, {}),
                                             full_ci({9, 4, 4}, one_thread()));
  const OppositeSpinTables couplings =
      OppositeSpinTables::of(RowTables(named.rows(), one_thread()), one_thread());
  const Index alphas = couplings.view().alphas;
  double whole = 0;
  double half = 0;
  for (Index a = 0; a < alphas; ++a) {
    whole += couplings.work_of(a, false);
    half += couplings.work_of(a, true);
    EXPECT_LT(couplings.work_of(a, true), couplings.work_of(a, false));
  }
  EXPECT_NEAR(half, whole / 2, 0.02 * whole);
  EXPECT_LT(couplings.work_of(0, true), 0.5 * couplings.work_of(alphas - 1, true));
}

TEST(DistributedItems, BalanceWorkOverRanks) {
  std::vector<ComputedProduct::Item> items;
  for (Index i = 0; i < 300; ++i) items.push_back({2 * (299 - i), 2, static_cast<double>(300 - i)});
  for (const int ranks : {1, 2, 3, 5, 7}) {
    const base::Layout layout = distribute_items(items, ranks);
    ASSERT_EQ(layout.rows(), 600);
    Index row = 0;
    for (int r = 0; r < ranks; ++r) {
      double work = 0;
      for (Index i = 0; i < layout.count(r); ++i, ++row) {
        const Index item = row / 2;
        work += 0.5 * static_cast<double>(item + 1);
      }
      EXPECT_NEAR(work, 0.5 * 300 * 301 / ranks, 300) << r << " of " << ranks;
    }
  }
}

/// A spin ring at one momentum: orbits have up to two rows.
TEST(DistributedSiteProduct, GiveTheBitsOfOneProcess) {
  if (test::backend_name() == "cuda") GTEST_SKIP() << "spins are shared out on the host alone";
  for (const int sites : {3, 4, 13}) {
    const std::vector<Term> terms = coupled(chain_of(sites), 1, 0.3);
    const SiteModel model = spin_model(sites, terms);
    const LatticeShape ring = chain_of(sites);
    const SymmetryAdaptedBasis basis(
        BasisStates(sites, sites / 2),
        lattice_sector(model, &ring, {.momentum = {sites > 4 ? 1 : 0}}), kTwoThreads);
    const SiteModelRows rows(basis, model);
    const base::MultiVector x = test::random_vectors(basis.dimension(), 5, 3);
    const auto one = site_product(rows, one_thread());
    const base::MultiVector expected = product_of(*one, x);
    const base::MultiVector diagonal = diagonal_of(*one);
    for (const int size : {1, 2, 3, 5, 7})
      base::run_as_ranks(size, [&](const base::Communicator& ranks) {
        const base::Layout layout = base::Layout::even(basis.dimension(), size);
        const auto mine = layout.pieces_of(ranks.rank());
        const base::DistributedOperator shared = {
            base::make_distributed_operator(
                ranks, layout,
                site_product_of_rows(rows, mine.empty() ? 0 : mine.front().first,
                                     layout.count(ranks.rank())),
                one_thread()),
            layout};
        ASSERT_NO_FATAL_FAILURE(expect_own_rows(shared, ranks.rank(), x, expected));
        expect_diagonal(shared, ranks.rank(), diagonal);
      });
  }
}

class DistributedSpinFunctions : public test::BackendTest {};

/// Spaces of one spin: with and without Ms = 0, and with more ranks than functions.
struct OneSpinSpace {
  NamedHamiltonian named;
  int twice_spin;
};

std::vector<OneSpinSpace> one_spin_spaces() {
  const auto full = [](const Sector& sector) {
    return test::named(base::concat(sector.orbitals, " orbitals"),
                       test::random_integrals(sector.orbitals, false, 5, sector.irreps),
                       full_ci(sector, one_thread()));
  };
  std::vector<OneSpinSpace> all;
  all.push_back({full({6, 3, 3}), 0});
  all.push_back({full({6, 3, 3}), 2});
  all.push_back({full({7, 4, 2}), 2});
  all.push_back({full({6, 3, 2, {{0, 1, 0, 2, 3, 1}}, 1}), 3});
  all.push_back({full({3, 2, 1}), 3});
  return all;
}

std::unique_ptr<CsfTransform> change_on(const CsfBasis& basis, bool by_host) {
  return by_host ? csf_transform_by_host(basis, of_rank()) : csf_transform(basis, of_rank());
}

TEST_F(DistributedSpinFunctions, GiveTheBitsOfOneProcess) {
  for (const auto& [named, twice_spin] : one_spin_spaces()) {
    const HamiltonianRows h = named.rows();
    const CsfBasis basis(*named.space, twice_spin);
    const auto diagonal = basis.diagonal(*named.space, *named.integrals);
    const base::MultiVector x = test::random_vectors(basis.functions(), 5, 3);
    const auto determinants = FactorisedHamiltonian(h).product(of_rank());
    const auto change = csf_transform(basis, of_rank());
    const CsfOperator one(*determinants, *change, diagonal);
    const base::MultiVector expected = product_of(one, x);
    base::MultiVector expanded(one_thread(), basis.determinants(), 5);
    basis.expand(x.block(), expanded.block());
    for (const int size : test::rank_runner.sizes())
      for (const bool by_host : {false, true})
        test::rank_runner.run(size, [&](const base::Communicator& ranks) {
          SCOPED_TRACE(base::concat(named.name, ", spin ", twice_spin, "/2, on ", size));
          const base::DistributedOperator product = distributed_computed(ranks, h);
          const auto own_change = change_on(basis, by_host);
          auto made = std::make_unique<DistributedCsfOperator>(
              ranks, *product.product, product.layout, *own_change, diagonal);
          const DistributedCsfOperator& functions = *made;
          const base::DistributedOperator shared{std::move(made), functions.layout()};
          ASSERT_NO_FATAL_FAILURE(expect_own_rows(shared, ranks.rank(), x, expected));
          const base::MultiVector d = diagonal_of(functions);
          const base::MultiVector mine = own_rows(functions.layout(), ranks.rank(), x);
          for (const base::Layout::Piece& piece : functions.layout().pieces_of(ranks.rank()))
            for (Index i = 0; i < piece.count; ++i)
              ASSERT_EQ(d(piece.at + i, 0), diagonal[piece.first + i]) << i;
          base::MultiVector rows(of_rank(), product.layout.count(ranks.rank()), 5);
          functions.expand(mine.to(of_rank()).block(), of_rank(), rows.block());
          const base::MultiVector found = rows.to(one_thread());
          const base::MultiVector wanted = own_rows(product.layout, ranks.rank(), expanded);
          for (int j = 0; j < 5; ++j)
            for (Index i = 0; i < found.rows(); ++i) ASSERT_EQ(found(i, j), wanted(i, j)) << i;
        });
  }
}

// One rank has memory for one vector at a time, the others for four: all must make equally many
// products.
TEST_F(DistributedSpinFunctions, AreTransformedInBatchesThatFitTheSmallestRank) {
  if (!of_rank().is_host()) GTEST_SKIP() << "the host's budget is enough to show it";
  const auto [named, twice_spin] = std::move(one_spin_spaces().front());
  const HamiltonianRows h = named.rows();
  const CsfBasis basis(*named.space, twice_spin);
  const auto diagonal = basis.diagonal(*named.space, *named.integrals);
  const base::MultiVector x = test::random_vectors(basis.functions(), 5, 3);
  const auto one = FactorisedHamiltonian(h).product(one_thread());
  const auto change = csf_transform(basis, one_thread());
  const base::MultiVector expected = product_of(CsfOperator(*one, *change, diagonal), x);
  const Index vector = basis.determinants() * Index{sizeof(double)};
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      const base::DistributedOperator product = distributed_computed(ranks, h);
      const auto some =
          base::Backend::openmp(1, {.host_bytes = (ranks.rank() == 0 ? 6 : 90) * vector});
      const auto own_change = csf_transform(basis, some);
      const DistributedCsfOperator shared(ranks, *product.product, product.layout, *own_change,
                                          diagonal);
      const base::MultiVector mine = own_rows(shared.layout(), ranks.rank(), x);
      base::MultiVector y(base::Backend::reference(), mine.rows(), 5);
      shared.apply(mine.block(), y.block());
      const base::MultiVector wanted = own_rows(shared.layout(), ranks.rank(), expected);
      for (int j = 0; j < 5; ++j)
        for (Index i = 0; i < y.rows(); ++i) ASSERT_EQ(y(i, j), wanted(i, j)) << i;
    });
}

}  // namespace
}  // namespace cisolve::ci
