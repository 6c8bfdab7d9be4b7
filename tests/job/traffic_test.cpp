#include "job/plan/traffic.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/ranks/thread_ranks.hpp"
#include "base/text.hpp"
#include "ci/hamiltonian/csf/distributed_csf_operator.hpp"
#include "ci/hamiltonian/on_the_fly/computed_hamiltonian.hpp"
#include "ci/hamiltonian/on_the_fly/item_distribution.hpp"
#include "ci/hamiltonian/parity/parity_operators.hpp"
#include "sparse/distributed/distributed_matrix.hpp"
#include "sparse/distributed/rank_rows.hpp"
#include "tests/support/counting_ranks.hpp"
#include "tests/support/factorised_systems.hpp"
#include "tests/support/matrices.hpp"

// The model of communication between ranks: by hand, and compared with counts of real products.
namespace cisolve::job {
namespace {

using base::Index;

base::Backend one_thread() { return base::Backend::openmp(1); }

void expect_same(const Traffic& counted, const Traffic& expected) {
  EXPECT_EQ(counted.gathered.sent, expected.gathered.sent);
  EXPECT_EQ(counted.gathered.received, expected.gathered.received);
  EXPECT_EQ(counted.exchanged.sent, expected.exchanged.sent);
  EXPECT_EQ(counted.exchanged.received, expected.exchanged.received);
  EXPECT_EQ(counted.operations, expected.operations);
}

TEST(Traffic, AGatheredVectorIsSentToAllOthers) {
  const std::vector<double> rows = {3, 1, 6};
  expect_same(traffic_of_gather(rows, 0, 5), {{8 * 2 * 3, 8 * 7}, {}, 5});
  expect_same(traffic_of_gather(rows, 2, 3), {{8 * 2 * 6, 8 * 4}, {}, 3});
  expect_same(traffic_of_gather(std::vector<double>{4}, 0, 1), {{0, 0}, {}, 1});
}

// Strings 1, 2 and 3 with one list of the same strings: rank 0 has two of them. Of nine elements
// (a, b), those with both strings on one rank stay: four and one.
TEST(Traffic, ASwapSendsTheRowsOfOthersStrings) {
  const std::vector<FlippedStrings> one = {{{2, 1}, {2, 1}}};
  expect_same(traffic_of_swap(one, 0), {{}, {8 * 2, 8 * 2}, 1});
  expect_same(traffic_of_swap(one, 1), {{}, {8 * 2, 8 * 2}, 1});
  const std::vector<FlippedStrings> two = {{{2, 1}, {0, 4}}, {{0, 4}, {2, 1}}};
  expect_same(traffic_of_swap(two, 0), {{}, {8 * (2 * 4), 8 * (2 * 4)}, 1});
}

TEST(Traffic, TrafficOfProductsIsTheSumOfItsParts) {
  const std::vector<double> rows = {6, 3};
  const std::vector<FlippedStrings> strings = {{{2, 1}, {2, 1}}};
  expect_same(traffic_of_factorised(rows, 0, 4, {strings, 2, 1}, 3),
              {{3 * 8 * 6, 3 * 8 * 3}, {3 * 2 * 8 * 2, 3 * 2 * 8 * 2}, 3 * (4 + 2 + 1)});
  expect_same(traffic_of_factorised(rows, 1, 4, {}, 1), {{8 * 3, 8 * 6}, {}, 4});
  expect_same(traffic_of_computed(rows, 0, 2, 4), {{4 * 8 * 6, 4 * 8 * 3}, {}, 4 * 2 + 1});
  expect_same(traffic_of_fetch(5, 7, 2), {{}, {8 * 7 * 2, 8 * 5 * 2}, 1});
}

TEST(Traffic, TakesTheTimeOfTheSlowestLink) {
  const Network node{.ranks = 4, .on_node = 4, .link = 1e9, .network = 1e8, .latency = 1e-3};
  EXPECT_EQ(node.internode_fraction(), 0);
  EXPECT_DOUBLE_EQ(node.seconds({{9e9, 3e9}, {2e9, 1e9}, 10}), 0.01 + 3 + 2);
  const Network nodes{.ranks = 5, .on_node = 2, .link = 1e9, .network = 1e8, .latency = 0};
  EXPECT_DOUBLE_EQ(nodes.internode_fraction(), 0.75);
  // Gathered data enter a node once, through both of its links; exchanged data reach each rank
  // separately.
  EXPECT_DOUBLE_EQ(nodes.seconds({{0, 1e9}, {}, 0}), 0.75 / 0.2);
  EXPECT_DOUBLE_EQ(nodes.seconds({{}, {0, 1e9}, 0}), 0.25 + 7.5);
  Network separate = nodes;  // gathered data reach each rank separately, too
  separate.gathers_point_to_point = true;
  EXPECT_DOUBLE_EQ(separate.seconds({{0, 1e9}, {}, 0}), 0.25 + 7.5);
  EXPECT_TRUE(Network::of_devices(2).gathers_point_to_point);
}

std::vector<double> rows_of(const base::Layout& layout) {
  std::vector<double> rows;
  for (int r = 0; r < layout.ranks(); ++r) rows.push_back(static_cast<double>(layout.count(r)));
  return rows;
}

/// The rank of a row.
int rank_of(const base::Layout& layout, Index row) {
  for (const base::Layout::Piece& piece : layout.pieces())
    if (row >= piece.first && row < piece.first + piece.count) return piece.rank;
  return -1;
}

/// The strings of each rank for a layout that keeps the rows of a string together, with the same
/// strings for both spins.
std::vector<FlippedStrings> strings_of(const ci::Space& space, const base::Layout& layout) {
  const std::vector<double> none(layout.ranks());
  std::vector<FlippedStrings> found(space.lists(), {none, none});
  const auto alphas = space.strings(ci::Spin::alpha);
  const auto betas = space.strings(ci::Spin::beta);
  for (Index a = 0; a < std::ssize(alphas); ++a)
    found[space.list_of(a)].with_list[rank_of(layout, space.first_row(a))] += 1;
  for (Index list = 0; list < space.lists(); ++list)
    for (const auto beta : space.list(list)) {
      const auto same = std::ranges::find(alphas, betas[beta]) - alphas.begin();
      found[list].in_list[rank_of(layout, space.first_row(same))] += 1;
    }
  return found;
}

base::MultiVector rows_of_rank(const base::Layout& layout, int rank, const base::MultiVector& x) {
  base::MultiVector mine(base::Backend::reference(), layout.count(rank), x.columns());
  for (const base::Layout::Piece& piece : layout.pieces_of(rank))
    for (int j = 0; j < x.columns(); ++j)
      for (Index i = 0; i < piece.count; ++i) mine(piece.at + i, j) = x(piece.first + i, j);
  return mine;
}

/// Traffic of a rank in one product.
Traffic counted_product(const test::CountingRanks& ranks, const base::LinearOperator& product,
                        const base::MultiVector& x) {
  base::MultiVector y(base::Backend::reference(), product.rows(), x.columns());
  ranks.counted();
  product.apply(x.block(), y.block());
  return ranks.counted();
}

TEST(Traffic, IsMeasuredForTheFactorisedProductOfEvenAndMixedVectors) {
  for (const test::NamedHamiltonian& named : test::flipped_kinds())
    for (const int size : {2, 3, 5})
      base::run_as_ranks(size, [&](const base::Communicator& inner) {
        const test::CountingRanks ranks(inner);
        const ci::HamiltonianRows h = named.rows();
        const auto shared = ci::FactorisedHamiltonian(h).distributed_product(ranks, one_thread());
        const auto strings = strings_of(*named.space, shared.layout);
        const base::MultiVector any = test::random_vectors(named.space->dimension(), 2, 3);
        for (const int times : {1, 2}) {
          SCOPED_TRACE(base::concat(named.name, " on ", size, ", flips: ", times));
          const base::MultiVector x = times == 1 ? any.to(base::Backend::reference())
                                                 : test::part_of(*named.space, any, 1, 0);
          const auto mine = rows_of_rank(shared.layout, ranks.rank(), x);
          const auto pieces = static_cast<double>(shared.layout.pieces().size());
          expect_same(counted_product(ranks, *shared.product, mine),
                      traffic_of_factorised(rows_of(shared.layout), ranks.rank(), pieces,
                                            {strings, times, 1}, 2));
        }
      });
}

/// The number of rounds follows from the size of the image buffer; each rank sends its coefficients
/// once.
TEST(Traffic, IsMeasuredForTheParityBasis) {
  for (const test::NamedHamiltonian& named : test::flipped_kinds())
    for (const int size : {2, 3, 5})
      base::run_as_ranks(size, [&](const base::Communicator& inner) {
        SCOPED_TRACE(base::concat(named.name, " on ", size));
        const test::CountingRanks ranks(inner);
        const ci::HamiltonianRows h = named.rows();
        const auto shared = ci::FactorisedHamiltonian(h).distributed_product(ranks, one_thread());
        const auto& flips = dynamic_cast<const ci::ParityOperator&>(*shared.product);
        const ci::ParityBlockOperator one(flips, ci::Parity::odd);
        const base::MultiVector x = test::random_vectors(one.rows(), 2, 3);
        const ci::DistributedParityBasis halves(one.basis(), flips.partition());
        double pieces = 0;
        for (const auto& round : halves.rounds(ci::StagedIn::image))
          pieces += static_cast<double>(round.layout.pieces().size());
        expect_same(counted_product(ranks, one, x),
                    traffic_of_parity(
                        {.rows_by_rank = rows_of(one.layout()),
                         .pieces = pieces,
                         .sent = static_cast<double>(flips.partition().sent_numbers()),
                         .received = static_cast<double>(flips.partition().received_numbers())},
                        ranks.rank(), 2));
      });
}

TEST(Traffic, IsMeasuredForTheFactorisedProductOfUnequalSpins) {
  const auto named = test::named("unlike", test::random_integrals(7, false, 5, {}),
                                 ci::full_ci({7, 3, 4}, base::Backend::openmp()));
  for (const int size : {2, 3, 5})
    base::run_as_ranks(size, [&](const base::Communicator& inner) {
      const test::CountingRanks ranks(inner);
      const ci::HamiltonianRows h = named.rows();
      const auto shared = ci::FactorisedHamiltonian(h).distributed_product(ranks, one_thread());
      const base::MultiVector x = test::random_vectors(named.space->dimension(), 3, 3);
      const auto mine = rows_of_rank(shared.layout, ranks.rank(), x);
      const auto pieces = static_cast<double>(shared.layout.pieces().size());
      expect_same(counted_product(ranks, *shared.product, mine),
                  traffic_of_factorised(rows_of(shared.layout), ranks.rank(), pieces, {}, 3));
    });
}

TEST(Traffic, IsMeasuredForElementsOnTheFly) {
  for (const test::NamedHamiltonian& named : test::all_kinds())
    for (const int size : {2, 3, 5})
      base::run_as_ranks(size, [&](const base::Communicator& inner) {
        SCOPED_TRACE(base::concat(named.name, " on ", size));
        const test::CountingRanks ranks(inner);
        const ci::HamiltonianRows h = named.rows();
        ci::ComputedProductPtr items = ci::ComputedHamiltonian(h).product(one_thread());
        const base::Layout layout = ci::distribute_items(items->items(), size);
        ci::keep_items_of(*items, layout, ranks.rank());
        const auto product =
            base::make_distributed_operator(ranks, layout, std::move(items), one_thread());
        const base::MultiVector x = test::random_vectors(named.space->dimension(), 5, 3);
        const auto pieces = static_cast<double>(layout.pieces().size());
        expect_same(counted_product(ranks, *product, rows_of_rank(layout, ranks.rank(), x)),
                    traffic_of_computed(rows_of(layout), ranks.rank(), pieces, 5));
      });
}

TEST(Traffic, IsMeasuredForSpinFunctions) {
  const auto named = test::named("doublet", test::random_integrals(7, false, 5, {}),
                                 ci::full_ci({7, 3, 2}, base::Backend::openmp()));
  const ci::CsfBasis basis(*named.space, 1);
  const auto change = ci::csf_transform(basis, one_thread());
  const auto diagonal = basis.diagonal(*named.space, *named.integrals);
  for (const int size : {2, 3, 5})
    base::run_as_ranks(size, [&](const base::Communicator& inner) {
      SCOPED_TRACE(base::concat("ranks: ", size));
      const test::CountingRanks ranks(inner);
      const ci::HamiltonianRows h = named.rows();
      const auto shared = ci::FactorisedHamiltonian(h).distributed_product(ranks, one_thread());
      const ci::DistributedCsfOperator of_one_spin(ranks, *shared.product, shared.layout, *change,
                                                   diagonal);
      const base::MultiVector x = test::random_vectors(basis.functions(), 3, 3);
      const auto functions = rows_of(of_one_spin.layout());
      const auto determinants = rows_of(shared.layout);
      const auto pieces = static_cast<double>(shared.layout.pieces().size());
      const Traffic expected =
          traffic_of_factorised(determinants, ranks.rank(), pieces, {}, 3) +
          traffic_of_transforms({functions, static_cast<double>(size), determinants, pieces},
                                ranks.rank(), 3);
      expect_same(
          counted_product(ranks, of_one_spin, rows_of_rank(of_one_spin.layout(), ranks.rank(), x)),
          expected);
    });
}

/// Number of rows of `owner` for which rank `reader` has elements, counted from the matrix.
double needed_of(const test::Elements& matrix, const base::Layout& layout, int reader, int owner) {
  std::vector<bool> is_needed(matrix.shape.rows);
  for (const auto& [place, value] : matrix.at)
    if (rank_of(layout, place.first) == reader && rank_of(layout, place.second) == owner)
      is_needed[place.second] = true;
  return static_cast<double>(std::ranges::count(is_needed, true));
}

TEST(Traffic, IsMeasuredForStoredElements) {
  std::vector<Index> lengths(230);
  for (Index i = 0; i < 230; ++i) lengths[i] = i < 9 ? 150 - i : (i * 7919) % 13;
  test::Elements matrix = test::random_elements(lengths, 230, 3);
  const test::ElementRows rows(matrix);
  for (const int size : {2, 3, 5})
    base::run_as_ranks(size, [&](const base::Communicator& inner) {
      SCOPED_TRACE(base::concat("ranks: ", size));
      const test::CountingRanks ranks(inner);
      const auto layout = sparse::distribute_rows(ranks, rows, one_thread());
      const sparse::DistributedMatrix shared(ranks, rows, layout, {.format = "csr"}, one_thread());
      double needed = 0;
      double given = 0;
      for (int r = 0; r < size; ++r) {
        if (r == ranks.rank()) continue;
        needed += needed_of(matrix, layout, ranks.rank(), r);
        given += needed_of(matrix, layout, r, ranks.rank());
      }
      EXPECT_EQ(needed, static_cast<double>(shared.fetched()));
      const base::MultiVector x = test::random_vectors(230, 3, 5);
      expect_same(counted_product(ranks, shared, rows_of_rank(layout, ranks.rank(), x)),
                  traffic_of_fetch(needed, given, 3));
    });
}

}  // namespace
}  // namespace cisolve::job
