#include "ci/factorised/factorised.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/text.hpp"
#include "ci/factorised/product_blocks.hpp"
#include "ci/factorised/string_strips.hpp"
#include "ci/factorised/string_tiles.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/computed_products.hpp"

// The product of string matrices, against elements that are stored.
namespace cisolve::ci {
namespace {

const base::Backend kHost = base::Backend::openmp();
const Partition kCanonical(kHost);

class Factorised : public test::BackendTest {};

/// Every third string of full CI beside every other one.
test::NamedHamiltonian product_of_lists() {
  const Space full = full_ci({9, 4, 3}, kHost);
  const Index betas = std::ssize(full.strings(Spin::beta));
  std::vector<Determinant> list;
  for (Index row = 0; row < full.dimension(); ++row)
    if (row / betas % 3 == 0 && row % betas % 2 == 1) list.push_back(full.determinant(row));
  return test::named("a product of lists", test::random_integrals(9, false, 5, {}),
                     list_space({9, 4, 3}, list, kHost));
}

/// More pairs of orbitals than rows of g may be, and more sources.
test::NamedHamiltonian many_pairs() {
  return test::named("many pairs", test::random_integrals(50, false, 5, {}),
                     full_ci({50, 1, 1}, kHost));
}

/// Orbitals 1 and 2 exchange electrons with no other pair, but see who stands elsewhere.
test::NamedHamiltonian lonely_pair() {
  Integrals integrals = test::random_integrals(7, false, 5, {});
  for (int r = 0; r < 7; ++r)
    for (int s = 0; s < r; ++s) integrals.set_two(Spin::alpha, 1, 0, Spin::alpha, r, s, 0);
  return test::named("a lonely pair", std::move(integrals), full_ci({7, 3, 4}, kHost));
}

std::vector<test::NamedHamiltonian> all_kinds() {
  std::vector<test::NamedHamiltonian> all;
  for (test::NamedHamiltonian& named : test::hamiltonians())
    if (may_factorise(named.rows())) all.push_back(std::move(named));
  EXPECT_EQ(all.size(), 13);
  const std::vector<int> irreps = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1};
  all.push_back(test::named("eight irreps", test::random_integrals(10, false, 5, irreps),
                            full_ci({10, 4, 4, irreps, 3}, kHost)));
  all.push_back(test::named("spin dependent, one irrep",
                            test::random_integrals(10, true, 5, irreps),
                            full_ci({10, 4, 3, irreps, 0}, kHost)));
  all.push_back(product_of_lists());
  all.push_back(lonely_pair());
  const auto add_lattice = [&](const char* name, const Hubbard& model, const Sector& sector) {
    all.push_back(test::named(name, hubbard(model, kHost), full_ci(sector, kHost)));
  };
  add_lattice("Hubbard ring", {{7, 1, true}, 1, 4}, {7, 3, 4});
  add_lattice("extended Hubbard", {{3, 2}, 1, 4, 0.5}, {6, 3, 3});
  return all;
}

TEST_F(Factorised, GivesWhatStoredElementsGive) {
  const base::Backend backend = test::backend_under_test();
  std::vector<test::NamedHamiltonian> all = all_kinds();
  all.push_back(many_pairs());
  for (const test::NamedHamiltonian& named : all) {
    SCOPED_TRACE(named.name);
    const HamiltonianRows in_order(*named.space, *named.integrals, kCanonical);
    const sparse::Csr stored = sparse::build_csr(in_order, kHost);
    const HamiltonianRows h = named.rows();
    const auto factors = FactorisedHamiltonian(h).product(backend);
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 3, 3);
    ASSERT_EQ(factors->rows(), x.rows());
    const base::MultiVector y = test::framed_product(*factors, x, backend);
    ASSERT_NO_FATAL_FAILURE(test::expect_products(stored, x, y));
  }
}

TEST_F(Factorised, AVectorHasTheSameBitsInEveryBlockAndEachTime) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : all_kinds()) {
    SCOPED_TRACE(named.name);
    const auto factors = FactorisedHamiltonian(named.rows()).product(backend);
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 5, 3);
    const base::MultiVector all = test::framed_product(*factors, x, backend);
    for (const int width : {1, 2, 5}) {
      base::MultiVector first(base::Backend::reference(), x.rows(), width);
      for (int j = 0; j < width; ++j)
        for (Index i = 0; i < x.rows(); ++i) first(i, j) = x(i, j);
      const base::MultiVector y = test::framed_product(*factors, first, backend);
      for (int j = 0; j < width; ++j)
        for (Index i = 0; i < x.rows(); ++i) ASSERT_EQ(y(i, j), all(i, j)) << i << ", " << j;
    }
  }
}

/// The part of vectors that is even or odd under the exchange of alpha and beta electrons, and
/// what is left of the other one by rounding.
base::MultiVector part_of(const Space& space, const base::MultiVector& x, double sign,
                          double leak) {
  base::MultiVector part(base::Backend::reference(), x.rows(), x.columns());
  for (Index row = 0; row < x.rows(); ++row) {
    const Determinant here = space.determinant(row);
    const Index there = space.row_of({here.beta, here.alpha}).value();
    for (int j = 0; j < x.columns(); ++j)
      part(row, j) = (x(row, j) + sign * x(there, j)) + leak * (x(row, j) - sign * x(there, j));
  }
  return part;
}

/// Those that do not change where alpha and beta electrons are exchanged.
std::vector<test::NamedHamiltonian> flipped_kinds() {
  const std::vector<int> irreps = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1};
  std::vector<test::NamedHamiltonian> all;
  const auto add = [&](const char* name, int orbitals, Space space,
                       const std::vector<int>& of_orbitals = {}) {
    all.push_back(test::named(name, test::random_integrals(orbitals, false, 5, of_orbitals),
                              std::move(space)));
  };
  add("full CI", 7, full_ci({7, 3, 3}, kHost));
  add("more strings than a chunk", 9, full_ci({9, 4, 4}, kHost));
  add("the totally symmetric irrep", 10, full_ci({10, 4, 4, irreps, 0}, kHost), irreps);
  add("another irrep", 10, full_ci({10, 4, 4, irreps, 3}, kHost), irreps);
  const Space full = full_ci({9, 3, 3}, kHost);
  const Index betas = std::ssize(full.strings(Spin::beta));
  std::vector<Determinant> square;
  for (Index row = 0; row < full.dimension(); ++row)
    if (row / betas % 3 != 0 && row % betas % 3 != 0) square.push_back(full.determinant(row));
  add("the square of a list", 9, list_space({9, 3, 3}, square, kHost));
  add("one electron of each spin", 9, full_ci({9, 1, 1}, kHost));
  return all;
}

TEST_F(Factorised, GivesWhatStoredElementsGiveToEvenAndOddVectors) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : flipped_kinds()) {
    SCOPED_TRACE(named.name);
    const HamiltonianRows h = named.rows();
    const sparse::Csr stored = sparse::build_csr(h, kHost);
    const auto factors = FactorisedHamiltonian(h).product(backend);
    for (const double sign : {1.0, -1.0})
      for (const double leak : {0.0, 1e-17, 1e-3}) {
        SCOPED_TRACE(base::concat("sign ", sign, ", leak ", leak));
        const base::MultiVector x =
            part_of(*named.space, test::random_vectors(named.space->dimension(), 3, 3), sign, leak);
        const base::MultiVector y = test::framed_product(*factors, x, backend);
        ASSERT_NO_FATAL_FAILURE(test::expect_products(stored, x, y));
      }
  }
}

TEST_F(Factorised, KeepsEvenAndOddVectorsSo) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : flipped_kinds()) {
    SCOPED_TRACE(named.name);
    const auto factors = FactorisedHamiltonian(named.rows()).product(backend);
    for (const double sign : {1.0, -1.0}) {
      const base::MultiVector x =
          part_of(*named.space, test::random_vectors(named.space->dimension(), 1, 3), sign, 0);
      const base::MultiVector y = test::framed_product(*factors, x, backend);
      for (Index row = 0; row < x.rows(); ++row) {
        const Determinant here = named.space->determinant(row);
        const Index there = named.space->row_of({here.beta, here.alpha}).value();
        ASSERT_EQ(y(row, 0), sign * y(there, 0)) << row;
      }
    }
  }
}

TEST_F(Factorised, TakesSmallPartsOfTheOtherParityFromVectors) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : flipped_kinds()) {
    SCOPED_TRACE(named.name);
    const auto factors = FactorisedHamiltonian(named.rows()).product(backend);
    const base::MultiVector any = test::random_vectors(named.space->dimension(), 2, 3);
    for (const double sign : {1.0, -1.0}) {
      const base::MultiVector pure = part_of(*named.space, any, sign, 0);
      const base::MultiVector x = part_of(*named.space, any, sign, 1e-3);
      base::MultiVector there = x.to(backend);
      factors->purify(1e-6, there.block());
      const base::MultiVector same = there.to(base::Backend::reference());
      factors->purify(0.1, there.block());
      const base::MultiVector purified = there.to(base::Backend::reference());
      for (int j = 0; j < x.columns(); ++j)
        for (Index row = 0; row < x.rows(); ++row) {
          ASSERT_EQ(same(row, j), x(row, j)) << row;
          ASSERT_NEAR(purified(row, j), pure(row, j), 1e-14) << row;
        }
    }
  }
}

TEST_F(Factorised, KnowsTheDiagonal) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : all_kinds()) {
    SCOPED_TRACE(named.name);
    const auto factors = FactorisedHamiltonian(named.rows()).product(backend);
    const base::Array<double> expected = Diagonal(*named.space, *named.integrals).all();
    base::MultiVector d(backend, expected.size(), 1);
    ASSERT_TRUE(factors->diagonal(d.block()));
    const base::MultiVector here = d.to(base::Backend::reference());
    for (Index i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(here(i, 0), expected[i], 1e-14 * std::max(1.0, std::abs(expected[i])));
  }
}

TEST_F(Factorised, StripsAndTilesAreAsManyAsAreCounted) {
  for (const test::NamedHamiltonian& named : all_kinds()) {
    SCOPED_TRACE(named.name);
    const RowTables tables(named.rows(), kHost);
    for (const ProductBlock& block : product_blocks(tables, kHost))
      for (const StringMatrix* matrix : {&block.alpha, &block.beta}) {
        const StringStrips strips(*matrix, kHost);
        EXPECT_EQ(count_columns(*matrix), strips.end(strips.strips() - 1));
        const StringTiles tiles(*matrix, kHost);
        const StringTilesView view = tiles.view();
        Index there = 0;
        for (Index step = 0; step < view.bands[tiles.bands()]; ++step)
          there += std::popcount(static_cast<unsigned>(view.steps[step].tiles));
        EXPECT_EQ(count_tiles(*matrix), there);
      }
  }
}

TEST_F(Factorised, NeedsListsThatAreAlikeOrDisjointAndEveryElement) {
  const std::vector<test::NamedHamiltonian> all = test::hamiltonians();
  const auto may = [&](const char* name) {
    const auto found = std::ranges::find(all, name, &test::NamedHamiltonian::name);
    EXPECT_NE(found, all.end()) << name;
    return found != all.end() && may_factorise(found->rows());
  };
  EXPECT_TRUE(may("full CI"));
  EXPECT_TRUE(may("one irrep"));
  EXPECT_FALSE(may("CISD"));
  EXPECT_FALSE(may("RAS"));
  EXPECT_FALSE(may("large elements only"));
}

}  // namespace
}  // namespace cisolve::ci
