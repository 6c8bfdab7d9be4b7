#include <memory>
#include <mutex>

#include "job/plan/plan.hpp"
#include "job/problem/watched_rows.hpp"
#include "tests/job/jobs_of_threads.hpp"

// A job of several ranks gives the results of one process.
namespace cisolve::job {
namespace {

using ::testing::HasSubstr;

TEST(JobOnRanks, FindsTheStatesOfOneProcessInEveryFormat) {
  for (const std::string format : {"csr", "hybrid", "sell-r", "csb", "tiled"}) {
    Request request = water();
    request.storage.format = format;
    expect_as_alone(request, format);
  }
}

TEST(JobOnRanks, FindsStatesIfRowsArePartitionedOrFewerThanRanks) {
  Request request = water();
  request.space.partition = {PartitionBy::lowest, 40};
  expect_as_alone(request, "partition");
  Request small = water();
  small.space.kind = SpaceKind::cis;
  small.space.active.count = 6;
  small.solver.states = 2;
  expect_as_alone(small, "cis");
}

TEST(JobOnRanks, FindsStatesOfMatricesAndSpinLattices) {
  Request matrix;
  matrix.source = ProblemSource::generate;
  matrix.generate.rows = 500;
  matrix.generate.symmetric = true;
  matrix.backend = base::BackendKind::openmp;
  matrix.threads = 1;
  expect_as_alone(matrix, "generated");
  Request ring;
  ring.source = ProblemSource::lattice;
  ring.lattice.model = LatticeModel::heisenberg;
  ring.lattice.columns = 10;
  ring.lattice.periodic_columns = true;
  ring.elements.path = ElementPath::precomputed;
  ring.backend = base::BackendKind::openmp;
  ring.threads = 1;
  expect_as_alone(ring, "ring");
}

TEST(JobOnRanks, FindsStatesWithComputedElements) {
  for (const ElementPath path :
       {ElementPath::on_the_fly, ElementPath::factorised, ElementPath::mixed}) {
    Request request = water();
    request.elements.path = path;
    if (path == ElementPath::mixed) request.elements.share = 0.5;
    expect_as_alone(request, std::string(word_of(path)));
    const std::vector<Outcome> found = outcomes(request, 3);
    EXPECT_TRUE(found[0].fallbacks.empty());
    EXPECT_TRUE(found[1].result) << "it has worked";
    EXPECT_EQ(found[0].plan->elements(), path);
    EXPECT_EQ(found[0].product.stored.has_value(), path == ElementPath::mixed);
  }
}

TEST(JobOnRanks, FindsStatesOfTruncatedSpacesWithComputedElements) {
  Request restricted = water();
  restricted.elements.path = ElementPath::on_the_fly;
  restricted.space.kind = SpaceKind::cisd;
  expect_as_alone(restricted, "cisd");
  Request ordered = water();
  ordered.elements.path = ElementPath::on_the_fly;
  ordered.space.partition = {PartitionBy::lowest, 40};
  expect_as_alone(ordered, "partition");
  Request irrep = water();
  irrep.elements.path = ElementPath::factorised;
  irrep.space.irrep = 1;
  expect_as_alone(irrep, "irrep");
  Request ring;
  ring.source = ProblemSource::lattice;
  ring.lattice.model = LatticeModel::heisenberg;
  ring.lattice.columns = 10;
  ring.lattice.periodic_columns = true;
  ring.elements.path = ElementPath::on_the_fly;
  ring.backend = base::BackendKind::openmp;
  ring.threads = 1;
  expect_as_alone(ring, "ring");
}

TEST(JobOnRanks, SpacesOfFewDeterminantsLeaveRanksWithoutRows) {
  for (const ElementPath path : {ElementPath::on_the_fly, ElementPath::factorised}) {
    Request request = water();
    request.elements.path = path;
    request.solver.states = 1;
    request.space.frozen.count = 4;  // leaves two electrons
    for (const Index orbitals : {1, 2}) {
      request.space.active.count = orbitals;
      expect_as_alone(request, base::concat(word_of(path), ", orbitals: ", orbitals));
    }
  }
}

// A sample of 63,504 rows is compared with the second product, which rank 0 alone has. Sampled rows
// agree in number except for rows in which states equal within their residuals differ.
TEST(JobOnRanks, VerifyBySamplesWithAProductOfAll) {
  Request chain;
  chain.source = ProblemSource::lattice;
  chain.lattice.columns = 10;
  chain.solver.verification = VerificationEffort::sample;
  chain.elements.path = ElementPath::factorised;
  chain.backend = base::BackendKind::openmp;
  chain.threads = 1;
  const Outcome alone = run(chain);
  const std::vector<Outcome> found = outcomes(chain, 3);
  expect_same_states(found.front(), alone);
  ASSERT_TRUE(found[0].verification->sample && alone.verification->sample);
  const auto rows = static_cast<double>(alone.verification->sample->rows);
  EXPECT_LT(rows, 63'504);
  EXPECT_NEAR(static_cast<double>(found[0].verification->sample->rows), rows, 1e-3 * rows);
  EXPECT_TRUE(found[0].fallbacks.empty());
}

TEST(JobOnRanks, WorkThatIsNotDistributedIsDoneByRank0AndReported) {
  Request measured = water();
  measured.product.wanted = true;
  measured.solver.states = 0;
  const std::vector<Outcome> found = outcomes(measured, 2);
  ASSERT_FALSE(found[0].fallbacks.empty());
  EXPECT_EQ(found[0].fallbacks.back().from, "2 ranks");
  EXPECT_EQ(found[0].fallbacks.back().to, "one rank");
  EXPECT_THAT(found[0].fallbacks.back().reason, HasSubstr("in one process"));
  EXPECT_EQ(found[1].product.nonzeros, 0);
  EXPECT_TRUE(outcomes(water(), 2)[0].fallbacks.empty());
}

/// Leaves rank 0 only the memory for verifying alone, after the operator of the solution is
/// released.
class MemoryTakingListener final : public Listener {
  void solved(const Outcome& found) override { backend_ = found.backend; }
  void watch(const std::string& what, Index rows,
             const std::function<void(const Watch&)>& work) override {
    if (what == "verifying") {
      base::MemoryBudget& memory = backend_->host_memory();
      const Index vector = rows * Index{sizeof(double)};
      all_.emplace(memory, memory.left() - 3 * vector, "a test");
    }
    work({});
  }
  std::optional<base::Backend> backend_;  // outlives the reservation
  std::optional<base::Reservation> all_;
};

TEST(JobOnRanks, AllVerifyUnlessOneLacksMemory) {
  Request ring;
  ring.source = ProblemSource::lattice;
  ring.lattice.model = LatticeModel::heisenberg;
  ring.lattice.columns = 14;
  ring.elements.path = ElementPath::on_the_fly;  // nothing large is released for it
  ring.backend = base::BackendKind::openmp;
  ring.threads = 1;
  const Outcome alone = run(ring);
  const std::vector<Outcome> together = outcomes(ring, 3);
  expect_same_states(together[0], alone);
  EXPECT_TRUE(together[0].fallbacks.empty());
  EXPECT_EQ(together[0].verification->by, alone.verification->by);
  MemoryTakingListener hoarder;
  const std::vector<Outcome> lacking = outcomes(ring, 3, &hoarder);
  expect_same_states(lacking[0], alone);
  ASSERT_EQ(lacking[0].fallbacks.size(), 1U);
  EXPECT_EQ(lacking[0].fallbacks[0].from, "verification by all ranks");
  EXPECT_EQ(lacking[0].fallbacks[0].to, "verification by rank 0");
  EXPECT_THAT(lacking[0].fallbacks[0].reason, HasSubstr("rank 0: "));
  EXPECT_EQ(lacking[0].verification->states[0].residual,
            together[0].verification->states[0].residual)
      << "the bits of one process";
}

// If a rank lacks the memory for an analysis, no rank plans by it.
TEST(JobOnRanks, PlansAreTheSameOnAllRanksWhateverTheirMemory) {
  Request request = water();
  request.fcidump = std::string(CISOLVE_SOURCES) + "/configs/h2o.fcidump";
  request.space.frozen.count = 1;
  request.space.irrep = 1;
  request.elements.path = ElementPath::automatic;
  request.solver.max_iterations = 2;
  request.solver.states = 1;
  for (const double mebibytes : {1.0, 2.5, 2.6, 2.75, 3.0, 3.5, 5.0, 10.0, 40.0}) {
    SCOPED_TRACE(mebibytes);
    std::vector<std::string> plans(2);
    class FirstPlanListener final : public Listener {
     public:
      explicit FirstPlanListener(std::string& plan) : plan_(plan) {}
      void watch(const std::string& what, Index /*rows*/,
                 const std::function<void(const Watch&)>& work) override {
        if (plan_.empty()) plan_ = what;
        work({});
      }

     private:
      std::string& plan_;
    };
    try {
      base::run_as_ranks(2, [&](const base::Communicator& ranks) {
        Request mine = request;
        if (ranks.rank() == 1) mine.memory = static_cast<Index>(mebibytes * (1 << 20));
        AsyncBackend starting(mine, false);
        FirstPlanListener hears(plans[ranks.rank()]);
        run(mine, starting, hears, ranks);
      });
    } catch (const base::Error& error) {
      EXPECT_NE(error.kind(), base::ErrorKind::internal) << error.what();
    }
    EXPECT_EQ(plans[0], plans[1]);
  }
}

TEST(JobOnRanks, AnErrorInTheListenerOfRank0EndsAll) {
  class Fails final : public Listener {
    void solved(const Outcome& /*found*/) override {
      base::fail(base::ErrorKind::cannot_write, "the disk is full");
    }
  } fails;
  try {
    outcomes(water(), 3, &fails);
    FAIL() << "it goes on";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::cannot_write);
  }
}

TEST(JobOnRanks, ResumesFromAStateOnRank0Alone) {
  const Outcome alone = run(water());
  const auto begun = [&] {
    return solver::Checkpoint{.basis = alone.result->vectors.to(base::Backend::openmp(1)),
                              .layout = alone.result->layout,
                              .iterations = 7,
                              .products = 70};
  };
  for (const int size : {1, 2, 4}) {
    Keeper keeper;
    keeper.kept.emplace(begun());
    const std::vector<Outcome> found = outcomes(water(), size, &keeper);
    expect_same_states(found.front(), alone);
    EXPECT_EQ(keeper.first, 7) << "it begins where the state was";
    EXPECT_LT(found.front().result->products, 70 + alone.result->products);
  }
}

TEST(JobOnRanks, AllEndIfRank0Stops) {
  Keeper keeper;
  keeper.stop_at = 2;
  Request request = water();
  request.solver.model_size = 10;
  request.solver.method = solver::Method::davidson;
  for (const Outcome& one : outcomes(request, 3, &keeper)) EXPECT_EQ(one.end, End::interrupted);
}

}  // namespace
}  // namespace cisolve::job
