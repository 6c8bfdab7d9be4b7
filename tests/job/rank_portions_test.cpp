#include "job/ranking/rank_plans.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/config/load.hpp"
#include "ci/hamiltonian/factorised/estimated_factorised_cost.hpp"
#include "ci/hamiltonian/factorised/factorised.hpp"
#include "job/methods/methods.hpp"
#include "job/plan/gpu_models.hpp"
#include "job/problem/estimated_full_ci.hpp"
#include "tests/support/factorised_systems.hpp"
#include "tests/support/rates.hpp"

// Plans of several ranks: the portion of each, and estimates for a space that is not built.
namespace cisolve::job {
namespace {

using test::kMuch;
using ::testing::HasSubstr;

Request configured(ProblemSource source, const std::vector<std::string>& settings) {
  std::vector<app::Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(app::parse_override(setting));
  return app::make_configuration(source, overrides).request;
}

Request molecule(std::vector<std::string> settings) {
  settings.emplace_back("problem.fcidump=a");
  return configured(ProblemSource::fcidump, settings);
}

/// The first plan for `ranks` ranks on one node with `bytes` of memory each.
Plan first_plan(const Request& request, const MatrixEstimate& counts, int ranks,
                Index bytes = kMuch) {
  const auto resources = Resources{bytes}.among({.ranks = ranks, .on_node = ranks});
  return rank_plans(request, counts, resources).front();
}

TEST(RankPortions, OfOneRankEqualTheWholePlan) {
  const auto request = configured(ProblemSource::generate, {"storage.format=csr"});
  const Plan plan = first_plan(request, {1e6, 1e8}, 1);
  EXPECT_FALSE(plan.portion);
  EXPECT_EQ(plan.demand.matrix, Index{12} * 100'000'000 + Index{8} * 1'000'000);
}

TEST(RankPortions, OfAStoredMatrixAreItsRowsAndTheFetchedElements) {
  const auto request = configured(ProblemSource::generate, {"storage.format=csr"});
  const Plan plan = first_plan(request, {1e6, 1e8}, 4);
  ASSERT_TRUE(plan.portion);
  EXPECT_EQ(plan.portion->matrix, Index{12} * 25'000'000 + Index{8} * 250'000);
  // A state and a direction: for each its vector, image and piece; the diagonal and a piece, and a
  // fifth of all for other uses.
  constexpr Index kPiece = 1 << 14;
  constexpr Index kSolved =
      Index{8} * (Index{2} * (Index{2} * 250'000 + kPiece + 24) + 250'000 + kPiece + 16);
  EXPECT_EQ(plan.portion->vectors, kSolved * 5 / 4 + 64);
  // Gathers at most all other rows, and buffers for own rows, fetched rows and rows in transfer.
  EXPECT_EQ(plan.portion->gathered, Index{8} * (250'000 + Index{3} * 750'000));
  EXPECT_EQ(plan.portion->traffic.received(), 8 * 750'000);
  EXPECT_EQ(plan.demand.matrix, plan.portion->matrix);
  EXPECT_EQ(plan.demand.vectors, plan.portion->vectors + plan.portion->gathered);
  const Plan sparse = first_plan(request, {1e6, 1e6}, 4);
  EXPECT_EQ(sparse.portion->traffic.received(), 8 * 250'000) << "no more than its elements need";
}

TEST(RankPortions, OfTheFactorisedProductAreTablesAWholeVectorAndSwappedRows) {
  const auto request = molecule({"storage.elements=factorised"});
  MatrixEstimate counts{1e6, 1e8};
  counts.factors = ci::FactorisedCost{.multiplications = 1e10, .moves = 1e8, .bytes = 7'000'000};
  const Plan unlike = first_plan(request, counts, 4);
  EXPECT_EQ(unlike.demand.matrix, 7'000'000) << "each rank has all of them";
  EXPECT_EQ(unlike.portion->gathered, 8 * 1'000'000);
  EXPECT_EQ(unlike.portion->traffic.sent(), 8 * 3 * 250'000);
  counts.factors->has_parity = true;
  const auto two = molecule({"storage.elements=factorised", "solver.states=2"});
  const Plan of_two = first_plan(two, counts, 4);
  // Three quarters of the rank's rows of each vector are sent twice.
  EXPECT_NEAR(of_two.portion->traffic.sent(), 2 * 8 * (3 * 250'000 + 2 * 187'500), 1e-6);
  EXPECT_EQ(of_two.portion->gathered, 8 * (1'000'000 + 250'000));
  const Plan alike = first_plan(request, counts, 4);
  const Plan alone = first_plan(request, counts, 1);
  EXPECT_NEAR(*alike.portion->computed_seconds, *alone.product_seconds / 4, 1e-12);
  EXPECT_LT(*alike.portion->computed_seconds, 0.6 * *unlike.portion->computed_seconds) << "by half";
  EXPECT_NEAR(*alike.product_seconds,
              *alike.portion->computed_seconds + alike.portion->communication_seconds, 1e-12);
  EXPECT_NEAR(*alike.portion->efficiency(), *alone.product_seconds / 4 / *alike.product_seconds,
              1e-9);
}

// One state takes an image and a quarter of a vector, besides a whole one, so that the solver's
// vectors take half. Three quarters of the rank's coefficients are exchanged, and all ranks gather
// all coefficients.
TEST(RankPortions, OfOneStateUseTheParityBasisIfSpinsCanBeExchanged) {
  const auto one = molecule({"storage.elements=factorised"});
  const auto two = molecule({"storage.elements=factorised", "solver.states=2"});
  MatrixEstimate counts{1e6, 1e8};
  counts.factors = ci::FactorisedCost{.multiplications = 1e10, .moves = 1e8, .has_parity = true};
  const Plan plan = first_plan(one, counts, 4);
  const Plan of_two = first_plan(two, counts, 4);
  EXPECT_EQ(plan.portion->parity_bytes, 8 * (250'000 + 250'000));
  EXPECT_EQ(of_two.portion->parity_bytes, 0);
  EXPECT_EQ(plan.portion->gathered, of_two.portion->gathered + plan.portion->parity_bytes);
  const auto whole = molecule({"storage.elements=factorised", "solver.method=lanczos"});
  EXPECT_LT(5 * plan.portion->vectors, 3 * first_plan(whole, counts, 4).portion->vectors);
  EXPECT_NEAR(plan.portion->traffic.sent(), 8 * (3 * 125'000 + 93'750), 1e-6);
  EXPECT_NEAR(plan.portion->traffic.received(), 8 * (3 * 125'000 + 93'750), 1e-6);
  EXPECT_EQ(plan.portion->traffic.operations, 2 * 4 + 1) << "two rounds of a broadcast each";
}

// Whole vectors of functions and of determinants, besides that of the product; each is sent to all
// others once. There are at most as many functions as determinants.
TEST(RankPortions, OfOneSpinIncludeWholeVectorsOfFunctionsAndDeterminants) {
  const auto any = molecule({"storage.elements=on-the-fly"});
  const auto one = molecule({"storage.elements=on-the-fly", "space.spin=1"});
  const MatrixEstimate counts{1e6, 1e8};
  const Plan of_any = first_plan(any, counts, 4);
  const Plan of_one = first_plan(one, counts, 4);
  EXPECT_EQ(of_one.portion->gathered, of_any.portion->gathered + Index{16} * 1'000'000);
  EXPECT_EQ(of_one.portion->traffic.received(), 3 * of_any.portion->traffic.received());
  EXPECT_EQ(of_one.portion->traffic.operations, 3 * of_any.portion->traffic.operations - 1);
}

TEST(RankPortions, ADeviceAlsoHoldsTransposedRows) {
  const auto request = molecule({"storage.elements=factorised"});
  MatrixEstimate counts{1e6, 1e8};
  counts.factors =
      ci::FactorisedCost{.bytes = 7'000'000, .distributed_bytes = 2'000'000, .transposed = 500'000};
  Resources resources{kMuch};
  EXPECT_EQ(rank_plans(request, counts, resources).front().demand.matrix, 7'000'000);
  resources.device = kMuch;
  const Plan plan = rank_plans(request, counts, resources).front();
  EXPECT_TRUE(plan.on_device);
  EXPECT_EQ(plan.demand.matrix, 7'500'000);
  const Plan of_two = rank_plans(request, counts, resources.among(Network::of_devices(2))).front();
  EXPECT_TRUE(of_two.on_device);
  EXPECT_EQ(of_two.portion->matrix, 9'500'000);
}

TEST(RankPortions, Rank0NeedsMemoryForTheStates) {
  const auto request = molecule({"storage.elements=on-the-fly", "solver.states=3"});
  const Plan plan = first_plan(request, {1e6, 1e8}, 1000);
  EXPECT_EQ(plan.portion->results, 8 * 4 * 1'000'000);
  EXPECT_EQ(plan.demand.vectors, plan.portion->results);
  EXPECT_EQ(plan.portion->gathered, 8 * 1'000'000);
  EXPECT_EQ(plan.portion->traffic.received(), 3 * 8 * 999'000.0);
}

TEST(RankPortions, AMatrixThatIsTooLargeForOneRankFitsTwo) {
  const auto request = configured(ProblemSource::generate, {"storage.format=csr"});
  constexpr Index kBytes = 800'000'000;
  EXPECT_FALSE(first_plan(request, {1e6, 1e8}, 1, kBytes).fits());
  EXPECT_TRUE(first_plan(request, {1e6, 1e8}, 2, kBytes).fits());
}

TEST(RankPortions, ElementsThatFitTwoRanksAreMixedOnOne) {
  const auto request = molecule({"storage.elements=mixed"});
  MatrixEstimate counts{1e6, 1e8};
  counts.work = ci::ComputedCost{.by_blocks = true, .moves = 1e9, .streams = 1e8};
  const auto stored = [&](int ranks) {
    const Plan plan = first_plan(request, counts, ranks, Index{1} << 30);
    return std::pair(plan.storage.share->bytes, plan.reason);
  };
  EXPECT_THAT(stored(1).second, ::testing::Not(HasSubstr("about 100.0 %")));
  EXPECT_THAT(stored(2).second, HasSubstr("about 100.0 %"));
}

TEST(RankPortions, MissingMemoryIsReportedInBytes) {
  const auto request = configured(ProblemSource::generate, {"storage.format=csr"});
  const MatrixEstimate counts{1e6, 1e8};
  Plan plan = first_plan(request, counts, 4, 100'000'000);
  EXPECT_THAT(missing_memory_text(plan, counts, kMuch),
              HasSubstr("each rank lacks 224 MiB of 319 MiB"));
  plan.limit = kMuch;
  EXPECT_EQ(missing_memory_text(plan, counts, kMuch), "");
  EXPECT_THAT(missing_memory_text(plan, counts, 10'000'000), HasSubstr("the host of rank 0 lacks"));
  plan.method = &kFactorised;
  MatrixEstimate lists = counts;
  lists.factors = ci::FactorisedCost{.longest = 88'179};
  EXPECT_THAT(missing_memory_text(plan, lists, kMuch), HasSubstr("88,179"));
}

// Four of eight orbitals: 70 strings, 16 singles of each, 28 pairs; itself is a source, too.
TEST(FactorisedCostEstimate, IsCountedByHandWithoutSymmetry) {
  const ci::FactorisedCost found = ci::estimated_factorised_cost({8, 4, 4});
  EXPECT_EQ(found.multiplications, 70 * 70 * (28 + 8) * 17);
  EXPECT_EQ(found.moves, 70 * 70 * (16 + 4));
  EXPECT_EQ(found.longest, 70);
  EXPECT_EQ(found.chunks, 70 * 2);
  EXPECT_TRUE(found.has_parity);
  EXPECT_FALSE(ci::estimated_factorised_cost({8, 4, 3}).has_parity);
}

TEST(FactorisedCostEstimate, CountsStringsByIrrep) {
  const ci::Sector sector{4, 2, 2, {0, 1, 1, 2}};
  EXPECT_EQ(ci::strings_by_irrep(sector, 2), (std::vector<double>{1, 2, 1, 2}));
  EXPECT_EQ(ci::strings_by_irrep({6, 3, 3}, 3), (std::vector<double>{20}));
}

void expect_relative(double found, double expected, double tolerance) {
  EXPECT_NEAR(found / expected, 1, tolerance);
}

TEST(FactorisedCostEstimate, AgreesWithTheAnalysisOfStrings) {
  const std::vector<int> irreps = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3};
  const auto compare = [](const test::NamedHamiltonian& named, const ci::Sector& sector) {
    SCOPED_TRACE(named.name);
    const auto found = ci::FactorisedHamiltonian(named.rows()).work(base::Backend::openmp());
    const ci::FactorisedCost paper = ci::estimated_factorised_cost(sector);
    EXPECT_EQ(paper.has_parity, found.has_parity);
    expect_relative(static_cast<double>(paper.longest), static_cast<double>(found.longest), 1e-9);
    expect_relative(paper.multiplications, found.multiplications, 0.02);
    expect_relative(paper.moves, found.moves, 0.02);
    expect_relative(paper.chunks, found.chunks, 0.02);
    expect_relative(paper.strips, found.strips, 0.1);
    expect_relative(paper.tiles, found.tiles, 0.2);
    expect_relative(static_cast<double>(paper.transposed), static_cast<double>(found.transposed),
                    0.02);
  };
  const ci::Sector plain{10, 5, 5};
  compare(test::named("plain", test::random_integrals(10, false, 5, {}),
                      ci::full_ci(plain, base::Backend::openmp())),
          plain);
  const ci::Sector unlike{10, 5, 4};
  compare(test::named("unlike", test::random_integrals(10, false, 5, {}),
                      ci::full_ci(unlike, base::Backend::openmp())),
          unlike);
  const ci::Sector irrep{12, 5, 5, irreps, 0};
  compare(test::named("one irrep", test::random_integrals(12, false, 5, irreps),
                      ci::full_ci(irrep, base::Backend::openmp())),
          irrep);
}

TEST(FactorisedCostEstimate, CountsALatticeTooLargeToBuild) {
  const auto lattice = configured(ProblemSource::lattice, {"problem.lattice.columns=24"});
  const auto counts = estimate_full_ci(lattice, base::Backend::openmp(1));
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->rows, 7312459672336.0);
  EXPECT_EQ(counts->factors->longest, 2704156);
  EXPECT_FALSE(estimate_full_ci(configured(ProblemSource::generate, {}), base::Backend::openmp(1)));
  EXPECT_FALSE(estimate_full_ci(
      configured(ProblemSource::lattice, {"problem.lattice.columns=8", "space.kind=cisd"}),
      base::Backend::openmp(1)));
}

/// Twice the seconds predicted for each of two GPUs.
double predicted_on_h200(int orbitals) {
  const auto request = molecule({"storage.elements=factorised"});
  const int half = orbitals / 2;
  MatrixEstimate counts{1e9, 1e9};
  ci::Sector chain{orbitals, half, half};  // even and odd orbitals alternate
  for (int p = 0; p < orbitals; ++p) chain.irreps.push_back(p % 2);
  counts.factors = ci::estimated_factorised_cost(chain);
  Resources resources{.host = kMuch, .device = kMuch, .rates = gpu_model_named("h200")->rates};
  const auto plans = rank_plans(request, counts, resources.among(Network::of_devices(2)));
  EXPECT_TRUE(plans.front().on_device);
  return 2 * *plans.front().portion->computed_seconds;
}

// Hydrogen chains, seconds (docs/notebook/string-matrix-tiles.md).
TEST(FactorisedCostEstimate, PredictsWhatWasMeasuredOnOneH200) {
  EXPECT_NEAR(std::log(predicted_on_h200(16) / 0.083), 0, std::log(1.2));
  EXPECT_NEAR(std::log(predicted_on_h200(18) / 1.93), 0, std::log(1.2));
}

// The rates of the H200 are those of the tests of formats.
TEST(GpuModels, AreKnownByName) {
  const auto card = gpu_model_named("h200");
  ASSERT_TRUE(card);
  EXPECT_EQ(card->rates.bytes, test::kH200.bytes);
  EXPECT_EQ(card->rates.multiprocessors, test::kH200.multiprocessors);
  EXPECT_EQ(card->bytes, Index{139} << 30);
  EXPECT_FALSE(gpu_model_named("h201"));
  EXPECT_EQ(gpu_model_names(), "h100, h200");
}

}  // namespace
}  // namespace cisolve::job
