#include <optional>

#include "solver/methods/solve.hpp"
#include "solver/vectors/columns.hpp"
#include "solver/verification/verify.hpp"
#include "tests/solver/one_rank_differs.hpp"

// If ranks have different inputs, all use the same input or all refuse them.
namespace cisolve::test {
namespace {

using solver::Options;
using testing::HasSubstr;

TEST_F(OneRankDiffers, NoRankUsesWhatOneRankLacks) {
  const Found without = solved_by(distribution_, a_, [&](Member& member) {
    const DistributedOperator bare(a_, member.backend, member.ranks, member.layout,
                                   member.ranks.rank() != 1);
    Options options = davidson_options(1);
    options.preconditioner = solver::PreconditionerKind::diagonal;
    const solver::Problem problem{bare, member.backend, member.ranks, member.layout};
    solver::Result result = solver::solve(problem, options);
    EXPECT_TRUE(solver::verify(problem, result, {}).passed);
    return result;
  });
  EXPECT_THAT(without.of_rank[0].note, HasSubstr("does not provide its diagonal"));
  const ElementsOf elements(a_);
  for (const auto start : {solver::StartKind::automatic, solver::StartKind::model_space}) {
    const Found found = solved_by(distribution_, a_, [&](Member& member) {
      if (member.ranks.rank() != 2) member.problem.model_block = &elements;
      Options options = davidson_options(1);
      options.start = start;
      options.model_size = 10;
      return solver::solve(member.problem, options);
    });
    EXPECT_EQ(found.of_rank[0].model_products, start == solver::StartKind::automatic ? 0 : 10);
  }
}

TEST_F(OneRankDiffers, InputsMustBeTheSameOnAllRanks) {
  const auto refused = [&](const std::function<void(Member&)>& work) {
    expect_all_refuse(base::ErrorKind::usage, "the ranks have different", work);
  };
  const auto solve_with = [](Member& member, auto change) {
    Options options = davidson_options(2);
    if (member.ranks.rank() == 1) change(options);
    solver::solve(member.problem, options);
  };
  refused([&](Member& member) { solve_with(member, [](Options& o) { o.states = 3; }); });
  refused([&](Member& member) { solve_with(member, [](Options& o) { o.tolerance = 2e-8; }); });
  refused([&](Member& member) { solve_with(member, [](Options& o) { o.seed = 1ULL << 60; }); });
  refused([&](Member& member) { solve_with(member, [](Options& o) { o.dense_limit = 1; }); });
  refused([&](Member& member) {
    if (member.ranks.rank() == 0) member.problem.model_rows = {1, 2};
    solver::solve(member.problem, davidson_options(2));
  });
  refused([&](Member& member) {
    const solver::Checkpoint start{own_rows_of(a_.leftCols(2), member), member.layout};
    solver::solve(member.problem, davidson_options(2), nullptr,
                  member.ranks.rank() == 2 ? &start : nullptr);
  });
  refused([&](Member& member) {
    const auto x = own_rows_of(a_.leftCols(2), member);
    const std::vector<double> energies{0, member.ranks.rank() == 2 ? 1e-9 : 0};
    solver::verify(member.problem, energies, x.block(), {});
  });
  refused([&](Member& member) {
    const auto x = own_rows_of(a_.leftCols(1), member);
    solver::verify(member.problem, std::vector<double>{0}, x.block(),
                   {.search = member.ranks.rank() == 2});
  });
}

TEST_F(OneRankDiffers, ALayoutMustFitTheMatrix) {
  expect_all_refuse(base::ErrorKind::usage, "a layout of 150 rows", [&](Member& member) {
    if (member.ranks.rank() == 1) member.problem.layout = RowDistribution{kRanks, "uneven"}.of(150);
    solver::solve(member.problem, davidson_options(2));
  });
  const Found found =
      solved_by(distribution_, a_, [&](Member& member) {  // the layout follows from the matrix
        return solver::solve({member.matrix, member.backend, member.ranks}, davidson_options(2));
      });
  EXPECT_NEAR(found.of_rank[0].states[1].energy, eigenvalues(a_)[1], 1e-10);
}

TEST_F(OneRankDiffers, ALayoutMustBeTheSameOnAll) {
  expect_all_refuse(base::ErrorKind::usage, "the ranks have different layouts",
                    [&](Member& member) {
                      const Index share = a_.rows() / kRanks;
                      std::vector<base::Layout::Piece> pieces;
                      for (int r = 0; r < kRanks; ++r) pieces.push_back({r, share * r, share});
                      if (member.ranks.rank() == 1) std::swap(pieces[0].rank, pieces[1].rank);
                      member.problem.layout = base::Layout::of_pieces(kRanks, pieces);
                      solver::solve(member.problem, davidson_options(2));
                    });
}

TEST_F(OneRankDiffers, AResultIsVerifiedInItsOwnLayout) {
  expect_all_refuse(base::ErrorKind::usage, "expected the same layout", [&](Member& member) {
    solver::Result result = solver::solve(member.problem, davidson_options(2));
    result.layout = base::Layout::whole(a_.rows());
    solver::verify(member.problem, result, {});
  });
}

}  // namespace
}  // namespace cisolve::test
