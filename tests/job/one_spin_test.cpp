#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/run/run.hpp"
#include "job/states/eigenstates.hpp"
#include "job/states/solver_adapter.hpp"
#include "tests/support/backend.hpp"

// Jobs for one spin, on each backend: their vectors need the device alone, and a shortage of its
// memory is reported.
namespace cisolve::job {
namespace {

class OneSpin : public test::BackendTest {
 protected:
  static Request ring(Index sites, double spin) {
    Request request;
    request.source = ProblemSource::lattice;
    request.lattice.columns = sites;
    request.lattice.periodic_columns = true;
    request.space.spin = spin;
    request.solver.states = 3;
    request.solver.method = solver::Method::davidson;
    request.storage.format = "csr";
    request.backend = *base::BackendChoice::named(test::backend_name());
    return request;
  }

  static void expect_same(const Outcome& found, const Outcome& expected) {
    ASSERT_TRUE(found.is_good());
    EXPECT_EQ(found.verification->by, expected.verification->by);
    // If a device cannot hold determinants, a search may lack memory for excluded directions: it
    // then ends undecided, and reports that.
    if (found.result->search == solver::SearchEnd::excluded) {
      EXPECT_EQ(found.verification->completeness, expected.verification->completeness);
    } else {
      EXPECT_EQ(found.verification->completeness, solver::Completeness::not_checked);
    }
    ASSERT_EQ(found.result->states.size(), expected.result->states.size());
    for (std::size_t j = 0; j < expected.result->states.size(); ++j) {
      EXPECT_NEAR(found.result->states[j].energy, expected.result->states[j].energy, 1e-10);
      EXPECT_NEAR(*found.analysis->states[j].s2, *expected.analysis->states[j].s2, 1e-9);
    }
  }
};

TEST_F(OneSpin, EveryBackendFindsAndVerifiesTheStatesOfTheReference) {
  for (const double spin : {0.0, 2.0})
    for (const PartitionRule partition :
         {PartitionRule{}, PartitionRule{PartitionBy::lowest, 50}}) {
      SCOPED_TRACE(spin);
      SCOPED_TRACE(word_of(partition.by));
      Request request = ring(6, spin);
      request.space.partition = partition;
      const Outcome found = run(request);
      EXPECT_EQ(found.backend->name(), test::backend_name());
      EXPECT_TRUE(found.fallbacks.empty());
      request.backend = base::BackendKind::reference;
      EXPECT_EQ(found.result->search, solver::SearchEnd::excluded);
      expect_same(found, run(request));
    }
}

TEST_F(OneSpin, StatesStayOnTheirBackend) {
  const base::Backend backend = test::backend_under_test();
  const Request request = ring(8, 0);
  const DeterminantProblem molecule = open_molecule(request, backend.host());
  std::unique_ptr<base::LinearOperator> direct;
  if (backend.is_host())
    direct = std::make_unique<ci::OracleOperator>(molecule.space, molecule.integrals);
  else
    direct = ci::oracle_operator_on(backend, molecule.space, molecule.integrals);
  const SolverAdapter view(request, &molecule);
  const auto states = [&](SpinsOn spins) {
    return view.solve(*direct, RowsIn::canonical_order, backend, solver_options(request), nullptr,
                      nullptr, spins);
  };
  const solver::Result here = states(SpinsOn::backend);
  EXPECT_EQ(here.vectors.backend().kind(), backend.kind());
  EXPECT_EQ(here.vectors.rows(), molecule.space.dimension());
  const solver::Result through_host = states(SpinsOn::host);
  EXPECT_TRUE(through_host.vectors.backend().is_host());
  const base::MultiVector copied = here.vectors.to(backend.host());
  for (int j = 0; j < copied.columns(); ++j) {
    ASSERT_EQ(here.states[j].energy, through_host.states[j].energy);
    for (Index i = 0; i < copied.rows(); ++i)
      ASSERT_EQ(copied(i, j), through_host.vectors(i, j)) << "the same functions, the same bits";
  }
}

/// The outcome of a job with `bytes` of device memory; none, with the reason in `why`, if that is
/// too little.
std::optional<Outcome> found_within(Request request, Index bytes, std::string& why) {
  request.device_memory = bytes;
  try {
    return run(request);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::resources) << error.what();
    why = error.what();
    return std::nullopt;
  }
}

bool leaves_spins_to_the_host(const Outcome& found) {
  return std::ranges::any_of(found.fallbacks, [](const Fallback& step) {
    return step.from == "spin functions on the device" && step.to == "spin functions on the host" &&
           !step.reason.empty();
  });
}

TEST_F(OneSpin, TransformsThatDoNotFitTheDeviceRunOnTheHostWithANote) {
  const Request request = ring(8, 0);
  Index too_little = Index{1} << 16;
  Index enough = Index{1} << 24;
  std::string why;
  const auto ample = found_within(request, enough, why);
  ASSERT_TRUE(ample && !leaves_spins_to_the_host(*ample));
  if (test::backend_name() != "cuda") return;
  while (enough - too_little > 1024) {
    const Index tried = (too_little + enough) / 2;
    const auto found = found_within(request, tried, why);
    (found && !leaves_spins_to_the_host(*found) ? enough : too_little) = tried;
  }
  const auto found = found_within(request, too_little, why);
  ASSERT_TRUE(found) << too_little << " bytes, where " << enough << " are enough for all: " << why;
  EXPECT_TRUE(leaves_spins_to_the_host(*found));
  EXPECT_EQ(found->backend->name(), "cuda");
  expect_same(*found, *ample);
}

}  // namespace
}  // namespace cisolve::job
