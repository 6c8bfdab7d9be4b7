#include "bench/eigensolvers/contest.hpp"
#include "solver/methods/solve.hpp"

namespace cisolve::bench {
namespace {

class Counted final : public base::LinearOperator {
 public:
  explicit Counted(const Contest& contest) : contest_(contest) {}
  Index rows() const override { return contest_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override {
    contest_.multiply_on_device(x, y);
  }
  bool diagonal(base::Block d) const override { return contest_.diagonal_on_device(d); }

 private:
  const Contest& contest_;
};

Answer ours(const Contest& contest, solver::Method method,
            solver::SearchEffort search = solver::SearchEffort::none) {
  const Counted matrix(contest);
  solver::Options options;
  options.method = method;
  options.states = contest.states();
  options.tolerance = contest.tolerance();
  if (!contest.is_hard()) options.block_width = contest.width();
  options.max_subspace = contest.columns();
  options.max_iterations = static_cast<int>(Contest::kMostProducts);
  options.dense_limit = 0;  // the rivals have no dense solver either
  options.guards = 0;       // a guard would be one start vector more than the others have
  options.search = search;  // no rival looks for missed states
  const bool chooses = method != solver::Method::davidson;  // including its start vectors
  // The diagonal in either case, but naming it would select Davidson.
  if (!chooses) options.preconditioner = solver::PreconditionerKind::diagonal;
  const solver::Checkpoint start{contest.start().to(contest.own_backend()),
                                 base::Layout::whole(contest.rows())};
  const auto result =
      solver::solve({matrix, contest.own_backend()}, options, nullptr, chooses ? nullptr : &start);
  Answer answer{{}, {}, result.iterations, result.restarts, result.search_products};
  for (const auto& state : result.states) answer.values.push_back(state.energy);
  const base::MultiVector vectors = result.vectors.to(contest.backend());
  for (int j = 0; j < vectors.columns(); ++j) {
    const double* x = vectors.block().column(j);
    answer.vectors.insert(answer.vectors.end(), x, x + contest.rows());
  }
  return answer;
}

const RegisterContestant kDavidson("ci-solve", [](const Contest& contest) {
  return ours(contest, solver::Method::davidson);
});

const RegisterContestant kLanczos("ci-solve lanczos", [](const Contest& contest) {
  return ours(contest, solver::Method::lanczos);
});
const RegisterContestant kAutomatic("ci-solve auto", [](const Contest& contest) {
  return ours(contest, solver::Method::automatic);
});
const RegisterContestant kSearching("ci-solve searched", [](const Contest& contest) {
  return ours(contest, solver::Method::automatic, solver::SearchEffort::automatic);
});

}  // namespace
}  // namespace cisolve::bench
