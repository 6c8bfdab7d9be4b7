#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "ci/hamiltonian/factorised/factorised.hpp"
#include "ci/hamiltonian/rows/lowest_diagonal.hpp"
#include "ci/oracle/element.hpp"
#include "job/states/model_elements.hpp"
#include "job/states/one_parity.hpp"
#include "solver/vectors/small_eigen.hpp"
#include "tests/support/hamiltonians.hpp"

// Elements among even or odd functions of determinants, against those of expanded vectors.
namespace cisolve::job {
namespace {

using base::Index;
using ci::Parity;

class ElementsOfDeterminants final : public solver::ModelBlock {
 public:
  explicit ElementsOfDeterminants(const test::NamedHamiltonian& named) : named_(named) {}
  void fill(std::span<const Index> rows, std::span<const Index> columns,
            base::SmallMatrix& block) const override {
    for (int j = 0; j < block.columns(); ++j)
      for (int i = 0; i < block.rows(); ++i)
        block(i, j) = ci::element(*named_.integrals, named_.space->determinant(rows[i]),
                                  named_.space->determinant(columns[j]));
  }

 private:
  const test::NamedHamiltonian& named_;
};

/// However many were requested before.
TEST(ModelElements, ReturnTheLowestRowsInAnyOrderOfCalls) {
  const base::Backend host = base::Backend::openmp();
  Request request;
  request.source = ProblemSource::lattice;
  request.lattice.columns = 8;
  request.lattice.u = 6;
  const DeterminantProblem molecule = open_molecule(request, host);
  ASSERT_EQ(molecule.space.dimension(), 4'900);
  const ModelElements elements(molecule, 0);
  for (const Index count : {7, 700, 3, 2'000, 0, 5'000, 60}) {
    std::vector<Index> rows = ci::lowest_of_diagonal(molecule.space, molecule.integrals, count);
    std::ranges::sort(rows);
    EXPECT_EQ(elements.lowest(count), rows) << count;
  }
}

class ParityModelBlockTest : public ::testing::Test {
 protected:
  ParityModelBlockTest()
      : named_(test::named("full CI", test::random_integrals(6, false, 11, {}),
                           ci::full_ci({6, 3, 3}, host_))),
        product_(ci::FactorisedHamiltonian(named_.rows()).product(host_)),
        whole_(named_) {}

  ci::ParityBasis basis(Parity parity) const {
    return {*dynamic_cast<const ci::ParityOperator&>(*product_).alpha_beta_swap(), parity};
  }

  /// Elements between expanded functions, from all elements of all determinants.
  base::SmallMatrix expected(const ci::ParityBasis& basis) const {
    const auto all = static_cast<int>(named_.space->dimension());
    std::vector<Index> rows(all);
    std::iota(rows.begin(), rows.end(), Index{0});
    base::SmallMatrix h(all, all);
    whole_.fill(rows, rows, h);
    const auto count = static_cast<int>(basis.rows());
    base::SmallMatrix expanded(all, count);
    const ci::SwapPartition partition(basis.alpha_beta_swap());
    const auto maker = ci::parity_transform_on_host(basis, partition, nullptr, host_);
    std::vector<double> unit(count);
    for (int j = 0; j < count; ++j) {
      unit[j] = 1;
      maker->expand(unit.data(), &expanded.values()[Index{j} * all], {});
      unit[j] = 0;
    }
    return solver::transposed_product(expanded, solver::product(h, expanded));
  }

  base::Backend host_ = base::Backend::openmp(2);
  test::NamedHamiltonian named_;
  std::unique_ptr<base::LinearOperator> product_;
  ElementsOfDeterminants whole_;
};

TEST_F(ParityModelBlockTest, AgreesWithExpandedVectors) {
  for (const Parity parity : {Parity::even, Parity::odd}) {
    const ci::ParityBasis these = basis(parity);
    const ParityModelBlock elements(whole_, these, host_);
    const base::SmallMatrix all = expected(these);
    std::vector<Index> rows;
    for (Index row = 0; row < these.rows(); row += 3) rows.push_back(row);
    std::vector<Index> columns;
    for (Index row = these.rows() - 1; row >= 0; row -= 7) columns.push_back(row);
    const auto expect_right = [&](const std::vector<Index>& below, const std::vector<Index>& kets) {
      base::SmallMatrix block(static_cast<int>(below.size()), static_cast<int>(kets.size()));
      elements.fill(below, kets, block);
      for (int j = 0; j < block.columns(); ++j)
        for (int i = 0; i < block.rows(); ++i)
          ASSERT_NEAR(block(i, j), all(static_cast<int>(below[i]), static_cast<int>(kets[j])),
                      1e-12)
              << below[i] << ", " << kets[j];
    };
    ASSERT_NO_FATAL_FAILURE(expect_right(rows, rows));
    ASSERT_NO_FATAL_FAILURE(expect_right(rows, columns));
    ASSERT_NO_FATAL_FAILURE(expect_right(columns, rows));
  }
}

TEST_F(ParityModelBlockTest, SectorsShareTheWorkspaceOfWholeVectors) {
  const Parities parities(dynamic_cast<const ci::ParityOperator&>(*product_), whole_);
  const Index before = host_.memory().used();
  const auto likely = parities.make(solver::ParitySide::likely);
  const Index held = host_.memory().used();
  EXPECT_GE(held, before + 2 * product_->rows() * Index{sizeof(double)});
  const auto other = parities.make(solver::ParitySide::other);
  const auto both = parities.make_both();
  EXPECT_EQ(host_.memory().used(), held);
  EXPECT_EQ(likely->matrix().rows() + other->matrix().rows(), product_->rows());
  EXPECT_EQ(&both->part(solver::ParitySide::other).matrix(), &other->matrix());
}

}  // namespace
}  // namespace cisolve::job
