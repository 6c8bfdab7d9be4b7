#include "job/states/solver_adapter.hpp"
#include "tests/job/jobs_of_threads.hpp"

// Several ranks find the same states of one spin as one process.
namespace cisolve::job {
namespace {

TEST(JobOnRanks, FindsStatesOfOneSpin) {
  for (const ElementPath path : {ElementPath::precomputed, ElementPath::on_the_fly,
                                 ElementPath::factorised, ElementPath::mixed}) {
    Request request = water();
    request.elements.path = path;
    if (path == ElementPath::mixed) request.elements.share = 0.5;
    request.space.spin = path == ElementPath::factorised ? 0 : 1;
    expect_as_alone(request, std::string(word_of(path)));
    const std::vector<Outcome> found = outcomes(request, 3);
    EXPECT_TRUE(found[0].fallbacks.empty());
    EXPECT_TRUE(found[1].result) << "it has worked";
    EXPECT_EQ(found[1].result->products, found[0].result->products);
  }
}

TEST(JobOnRanks, FindsStatesOfOneSpinInPartitionedOrSmallSpaces) {
  Request request = water();
  request.space.spin = 0;
  request.space.partition = {PartitionBy::lowest, 40};
  expect_as_alone(request, "partition");
  Request small = water();
  small.space.spin = 1;
  small.space.frozen.count = 4;  // leaves two electrons
  small.space.active.count = 2;
  small.solver.states = 1;
  expect_as_alone(small, "one function");
}

/// A ring of localised spins, of which states of other spins are shifted.
Request ring_of_one_spin(Index sites, ElementPath path, double spin) {
  Request ring;
  ring.source = ProblemSource::lattice;
  ring.lattice.model = LatticeModel::heisenberg;
  ring.lattice.columns = sites;
  ring.lattice.periodic_columns = true;
  ring.elements.path = path;
  ring.space.spin = spin;
  ring.solver.states = 3;
  ring.backend = base::BackendKind::openmp;
  ring.threads = 1;
  return ring;
}

TEST(JobOnRanks, FindsStatesOfOneSpinOfSites) {
  for (const ElementPath path : {ElementPath::precomputed, ElementPath::on_the_fly})
    for (const int spin : {0, 1}) {  // solved with a linear shift, and with a quadratic one
      const Request ring = ring_of_one_spin(10, path, spin);
      expect_as_alone(ring, base::concat(word_of(path), ", spin ", spin));
      EXPECT_TRUE(outcomes(ring, 2)[0].fallbacks.empty());
    }
}

// Finds them by iterations, even if S^2 cannot be stored, or its storage leaves too little memory
// to solve.
TEST(JobOnRanks, FindsStatesOfOneSpinOfManySites) {
  Request ring = ring_of_one_spin(14, ElementPath::on_the_fly, 1);
  ring.solver.search = solver::SearchEffort::none;
  const Outcome alone = run(ring);
  for (const solver::Method method : {solver::Method::davidson, solver::Method::lanczos})
    for (const Index quarters : {1024, 5, 4}) {
      SCOPED_TRACE(base::concat(word_of(method), " within MiB / 4 x ", quarters));
      ring.solver.method = method;
      ring.memory = quarters << 18;
      expect_same_states(outcomes(ring, 2).front(), alone);
    }
}

// Claims on states that did not converge follow from H alone.
TEST(JobOnRanks, ReportsUnconvergedStatesOfOneSpinAsOneProcessDoes) {
  Request ring = ring_of_one_spin(12, ElementPath::precomputed, 1);
  ring.solver.method = solver::Method::davidson;
  ring.solver.max_iterations = 6;
  const Outcome alone = run(ring);
  ASSERT_EQ(alone.end, End::not_converged);
  for (const int size : {2, 3}) {
    const std::vector<Outcome> found = outcomes(ring, size);
    EXPECT_EQ(found[0].end, End::not_converged);
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(found[0].result->states[j].energy, alone.result->states[j].energy, 1e-9);
      EXPECT_NEAR(found[0].result->states[j].residual, alone.result->states[j].residual, 1e-7);
    }
  }
}

// The solver and its checkpoints hold states of one spin as functions.
TEST(JobOnRanks, ResumesFromSpinFunctionsOnRank0Alone) {
  Request request = water();
  request.space.spin = 1;
  const Outcome alone = run(request);
  const auto basis = chosen_spin(request, *alone.determinant_problem);
  const base::MultiVector& states = alone.result->vectors;
  for (const int size : {1, 2, 4}) {
    base::MultiVector functions(states.backend(), basis->functions(), states.columns());
    basis->contract(states.block(), functions.block());
    Keeper keeper;
    keeper.kept.emplace(solver::Checkpoint{.basis = std::move(functions),
                                           .layout = base::Layout::whole(basis->functions()),
                                           .iterations = 7,
                                           .products = 70});
    const std::vector<Outcome> found = outcomes(request, size, &keeper);
    expect_same_states(found.front(), alone);
    EXPECT_EQ(keeper.first, 7) << "it begins where the state was";
    EXPECT_LT(found.front().result->products, 70 + alone.result->products);
  }
}

}  // namespace
}  // namespace cisolve::job
