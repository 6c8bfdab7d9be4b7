#include "job/ranking/rank_plans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "app/config/load.hpp"
#include "base/error.hpp"
#include "job/methods/methods.hpp"
#include "job/ranking/plan_fallback.hpp"
#include "sparse/generate/generator.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/matrix.hpp"
#include "tests/support/rates.hpp"

// Ranked plans of a matrix, and the fallback of a job through them, without a device.
namespace cisolve::app {
namespace {

constexpr Index kMuch = Index{100} << 30;
using Texts = std::vector<std::string>;

job::Request request(job::ProblemSource source, const std::vector<std::string>& settings) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
  return make_configuration(source, overrides).request;
}

job::Request generated(const std::vector<std::string>& settings = {}) {
  return request(job::ProblemSource::generate, settings);
}

job::Request molecule(std::vector<std::string> settings = {}) {
  settings.emplace_back("problem.fcidump=a");
  return request(job::ProblemSource::fcidump, settings);
}

/// Plans with a host that can hold everything.
std::vector<job::Plan> plans_of(const job::Request& configuration, Index device_bytes,
                                const job::MatrixEstimate& counts = {}) {
  return job::rank_plans(configuration, counts, {kMuch, device_bytes});
}

/// All plans in the order of fallback, if each of them fails.
Texts tried(const job::Request& configuration, Index device_bytes, Index free_bytes) {
  job::PlanFallback descent(plans_of(configuration, device_bytes));
  Texts texts{descent.plan().text()};
  while (texts.size() < 10 && descent.take_next(free_bytes)) texts.push_back(descent.plan().text());
  return texts;
}

TEST(Plans, AreCsrThenTheHostByDefault) {
  EXPECT_EQ(tried(generated(), 1000, kMuch),
            (Texts{"tiled on the device", "csr on the device", "hybrid on the host"}));
  EXPECT_EQ(tried(molecule(), 1000, kMuch),
            (Texts{"tiled on the device", "csr on the device", "computed on the device",
                   "hybrid on the host", "computed on the host"}));
}

// A lower bound may have passed a plan that does not fit.
TEST(Plans, ContinueOnTheHostWithTheNextThatFits) {
  job::PlanFallback descent(job::rank_plans(molecule(), {}, {kMuch}));
  EXPECT_EQ(descent.plan().text(), "hybrid on the host");
  ASSERT_TRUE(descent.take_next(0));
  EXPECT_EQ(descent.plan().text(), "computed on the host");
  EXPECT_FALSE(descent.take_next(0));
  EXPECT_EQ(descent.plan().text(), "computed on the host");
}

TEST(Plans, NeverReplaceARequestedMethod) {
  EXPECT_EQ(tried(generated({"storage.format=ellpack"}), 1000, kMuch),
            (Texts{"ellpack on the device", "ellpack on the host"}));
  EXPECT_EQ(tried(generated({"storage.boundary=7"}), 1000, kMuch),
            (Texts{"hybrid on the device", "hybrid on the host"}));
  EXPECT_EQ(tried(generated({"backend=cuda"}), 1000, kMuch),
            (Texts{"tiled on the device", "csr on the device"}));
  EXPECT_EQ(tried(generated({"backend=cuda:1"}), 1000, kMuch),
            (Texts{"tiled on the device", "csr on the device"}));
  EXPECT_EQ(tried(generated({"backend=cuda", "storage.format=csr"}), 1000, kMuch),
            (Texts{"csr on the device"}));
}

TEST(Plans, BudgetTheMemoryThatIsFree) {
  const auto second_budget = [](Index device_bytes, Index free_bytes) {
    job::PlanFallback descent(plans_of(generated(), device_bytes));
    EXPECT_TRUE(descent.take_next(free_bytes));
    return descent.plan().limit;
  };
  EXPECT_EQ(second_budget(kMuch, 2000), 1900);
  EXPECT_EQ(second_budget(kMuch, 12'345'678), base::default_device_limit(12'345'678));
  EXPECT_EQ(second_budget(1000, 2000), 1000);
  EXPECT_GT(second_budget(1000, 0), 0);
}

TEST(Plans, AreTriedOnceMoreIfTheBudgetExceededTheDevice) {
  EXPECT_EQ(tried(generated({"backend=cuda", "storage.format=csr"}), kMuch, 2000),
            (Texts{"csr on the device", "csr on the device"}));
  EXPECT_EQ(tried(generated({"storage.format=csr"}), kMuch, 2000),
            (Texts{"csr on the device", "csr on the device", "csr on the host"}));
}

TEST(Plans, AreRankedFromDeviceToHost) {
  job::PlanFallback descent(job::rank_plans(generated(), {}, {kMuch}));
  EXPECT_EQ(descent.plan().text(), "hybrid on the host");
  EXPECT_FALSE(descent.take_next(kMuch));
}

/// Device bytes for a state and a direction of 1000 rows: for each its vector, image and piece, a
/// diagonal, and a fifth of all for other uses.
constexpr Index kSolved = 8 * (2 * (3 * 1000 + 24) + 1008) * 5 / 4 + 64;

// 1000 rows of 100: 1.2 MB in CSR, 1.0 MB in tiles.
TEST(Plans, AreSkippedIfKnownNotToFit) {
  constexpr job::MatrixEstimate counts{1000, 100'000};
  const job::Request open = generated();
  const auto first = [&](Index device_bytes) {
    return job::PlanFallback(plans_of(open, device_bytes, counts)).plan().text();
  };
  EXPECT_EQ(first(1'000'000 + kSolved), "tiled on the device");
  EXPECT_EQ(first(999'999 + kSolved), "hybrid on the host");
  EXPECT_EQ(first(0), "hybrid on the host");

  const job::PlanFallback tight(plans_of(open, 999'999 + kSolved, counts));
  ASSERT_TRUE(tight.passed_over());
  EXPECT_EQ(tight.passed_over()->from, "tiled on the device");
  EXPECT_EQ(tight.passed_over()->to, "hybrid on the host");
  EXPECT_EQ(tight.passed_over()->reason,
            "the matrix takes at least 977 KiB and the vectors 69 KiB, but 1.02 MiB are available");
  EXPECT_FALSE(job::PlanFallback(plans_of(open, kMuch, counts)).passed_over());

  job::PlanFallback failing(plans_of(open, kMuch, counts));
  ASSERT_TRUE(failing.take_next(1'000'000));  // too little for any of these matrices
  EXPECT_EQ(failing.plan().text(), "hybrid on the host");
}

// Tiles within a budget above the free memory are repeated within that; CSR would take more, and is
// not tried.
TEST(Plans, AreTriedOnceMoreBeforeOneThatIsKnownNotToFit) {
  constexpr job::MatrixEstimate counts{1000, 100'000};
  constexpr Index free_bytes = 1'200'000;
  for (const bool only_device : {false, true}) {
    const char* backend = only_device ? "backend=cuda" : "backend=auto";
    job::PlanFallback descent(plans_of(generated({backend}), kMuch, counts));
    ASSERT_TRUE(descent.take_next(free_bytes));
    EXPECT_EQ(descent.plan().text(), "tiled on the device");
    EXPECT_EQ(descent.plan().limit, base::default_device_limit(free_bytes));
    EXPECT_EQ(descent.take_next(free_bytes), !only_device);
    EXPECT_EQ(descent.plan().text(), only_device ? "tiled on the device" : "hybrid on the host");
  }
}

TEST(Plans, ReportWhatTheFirstLacksIfNoneFits) {
  constexpr job::MatrixEstimate counts{1000, 100'000};
  job::PlanFallback descent(plans_of(generated({"backend=cuda"}), 1000, counts));
  EXPECT_EQ(descent.plan().text(), "tiled on the device");
  EXPECT_FALSE(descent.passed_over());
  EXPECT_FALSE(descent.take_next(kMuch));
  EXPECT_EQ(descent.plan().text(), "tiled on the device");
}

TEST(Plans, SayWhy) {
  const auto reason = [](const std::vector<std::string>& settings) {
    return plans_of(generated(settings), kMuch).front().reason;
  };
  EXPECT_NE(reason({}), reason({"storage.format=csr"}));
  EXPECT_NE(reason({"storage.format=csr"}), reason({"storage.boundary=3"}));
  for (const job::Plan& plan : plans_of(generated(), kMuch)) {
    EXPECT_FALSE(plan.reason.empty()) << plan.text();
    EXPECT_EQ(plan.elements(), job::ElementPath::precomputed);
  }
}

/// Rows of a Hamiltonian from integrals: long, and near each other in tiles.
constexpr sparse::RowProfile kLongRows{.rows = 850'000,
                                       .columns = 850'000,
                                       .mean = 900,
                                       .deviation = 30,
                                       .fill = 0.9,
                                       .scatter = 0.2,
                                       .tile_parts = 0.02};

/// Rows of a lattice: a few elements, each in a tile of its own.
constexpr sparse::RowProfile kShortRows{.rows = 850'000,
                                        .columns = 850'000,
                                        .mean = 15,
                                        .deviation = 3,
                                        .fill = 0.8,
                                        .scatter = 0.3,
                                        .tile_parts = 0.6};

std::vector<job::Plan> plans_for(const sparse::RowProfile& profile,
                                 const std::vector<std::string>& settings = {}) {
  job::MatrixEstimate counts;
  counts.profile = profile;
  return job::rank_plans(generated(settings), counts, {kMuch, kMuch, test::kH200});
}

job::Plan plan_of(const std::vector<job::Plan>& plans, const std::string& format) {
  return *std::ranges::find_if(
      plans, [&](const job::Plan& plan) { return plan.storage.format == format; });
}

// Tiles are faster than slices, 1.9 ms and 2.3, but building them costs more than forty products
// gain.
TEST(Plans, BeginWithTheFastestForTheRows) {
  EXPECT_EQ(plans_for(kLongRows).front().storage.format, "sell");
  EXPECT_LT(*plan_of(plans_for(kLongRows), "tiled").product_seconds,
            *plans_for(kLongRows).front().product_seconds);
  EXPECT_EQ(plans_for(kShortRows).front().storage.format, "sell");
  for (const sparse::RowProfile& profile : {kLongRows, kShortRows}) {
    const auto plans = plans_for(profile);
    ASSERT_GE(plans.size(), 3u);
    for (std::size_t i = 1; i + 1 < plans.size(); ++i)
      EXPECT_LE(plans[i - 1].whole_seconds(), plans[i].whole_seconds());
    for (const job::Plan& plan : plans) {
      EXPECT_GT(plan.product_seconds, 0.0) << plan.text();
      EXPECT_GT(plan.setup_seconds, 0.0) << plan.text();
    }
    EXPECT_EQ(plans.back().text(), "hybrid on the host");
    EXPECT_NE(plans[0].reason.find(" per product after a setup of about "), std::string::npos)
        << plans[0].reason;
  }
}

// Values are coded as long as the sampled rows have few of them: 500 kB and not 1.2 MB.
TEST(Plans, CodeTheValuesOfALattice) {
  sparse::RowProfile rows = kShortRows;
  rows.values = rows.off_diagonal_values = 9;
  const auto plans = plans_for(rows);
  EXPECT_EQ(plans[0].text(), "sell, coded values on the device");
  EXPECT_EQ(plans[0].storage.values, sparse::ValueEncoding::coded);
  EXPECT_EQ(plans[1].text(), "sell on the device");
  EXPECT_EQ(plans[1].storage.values, sparse::ValueEncoding::plain);
  EXPECT_LT(*plans[0].product_seconds, *plans[1].product_seconds);

  job::MatrixEstimate counts{1000, 100'000};
  counts.profile = rows;
  const auto fitting =
      job::rank_plans(generated(), counts, {kMuch, 500'000 + kSolved, test::kH200});
  EXPECT_TRUE(fitting[0].fits());
  EXPECT_FALSE(fitting[1].fits());
  const auto tight = job::rank_plans(generated(), counts, {kMuch, 499'999 + kSolved, test::kH200});
  EXPECT_FALSE(tight[0].fits());
}

// Rows too uneven for fast tiles, if only tiles fit: 600 MB, of 720 in CSR.
TEST(Plans, AreTheSlowOneIfOnlyThatFits) {
  sparse::RowProfile rows = kLongRows;
  rows.rows = rows.columns = 1'000'000;
  rows.mean = 60;
  rows.deviation = 200;
  rows.fill = 0.3;
  job::MatrixEstimate counts{1e6, 6e7};
  counts.profile = rows;
  const auto first = [&](Index device_bytes) {
    return job::PlanFallback(
               job::rank_plans(generated(), counts, {kMuch, device_bytes, test::kH200}))
        .plan()
        .text();
  };
  EXPECT_EQ(first(kMuch), "csr on the device");
  EXPECT_EQ(first(680'000'000), "tiled on the device");
  EXPECT_EQ(first(500'000'000), "hybrid on the host");
}

// Stored elements take some 720 MB and half of the product time; ten states need a search space of
// 40 vectors with images, 650 MB. A third of that holds a direction or two.
TEST(Plans, LeaveMemoryForTheSearchSpace) {
  sparse::RowProfile rows = kLongRows;
  rows.rows = rows.columns = 1'000'000;
  rows.mean = 60;
  job::MatrixEstimate counts{1e6, 6e7};
  counts.profile = rows;
  counts.work = ci::ComputedCost{.by_blocks = true, .moves = 1e8};
  const auto first = [&](Index host_bytes, const char* states) {
    const auto plans = job::rank_plans(molecule({states}), counts, {host_bytes});
    return plans[job::first_fitting(plans)].text();
  };
  const Index stored = job::rank_plans(molecule(), counts, {kMuch}).front().demand.matrix;
  EXPECT_EQ(first(stored + 700'000'000, "solver.states=10"), "hybrid on the host");
  EXPECT_EQ(first(stored + 450'000'000, "solver.states=10"), "computed on the host");
  EXPECT_EQ(first(stored + 350'000'000, "solver.states=10"), "computed on the host");
  EXPECT_EQ(first(stored + 700'000'000, "solver.states=1"), "hybrid on the host");
  counts.work.reset();  // unknown like the others
  EXPECT_EQ(first(stored + 350'000'000, "solver.states=10"), "hybrid on the host");
  EXPECT_EQ(first(stored + 260'000'000, "solver.states=10"), "computed on the host");
}

TEST(Plans, BeginWithDiagonalsIfRowsHaveFew) {
  sparse::RowProfile band = kShortRows;
  band.scatter = 0.05;
  band.diagonals = 25;
  band.diagonal_fill = 1;
  const auto first = [&](bool on_device, double fill) {
    band.diagonal_fill = fill;
    for (const job::Plan& plan : plans_for(band, {"problem.generate.pattern=diagonals"}))
      if (plan.on_device == on_device) return plan.storage.format;
    return std::string();
  };
  for (const bool on_device : {false, true}) {
    EXPECT_EQ(first(on_device, 1), "diagonal");
    EXPECT_NE(first(on_device, 0.5), "diagonal");
  }
  band.diagonal_fill = 1;  // not if only a device is the reason to sample
  EXPECT_EQ(plans_for(band, {"problem.generate.pattern=ci"}).back().text(), "hybrid on the host");
}

TEST(Plans, WithKnownRowsStillObeyTheRequest) {
  EXPECT_EQ(plans_for(kShortRows, {"storage.format=tiled"}).front().storage.format, "tiled");
  EXPECT_EQ(plans_for(kLongRows, {"storage.boundary=9"}).front().storage.format, "hybrid");
}

TEST(Plans, MayStoreARowInEachFormatThatAProfileMayChoose) {
  Texts formats;
  for (const auto& form : job::possible_forms(generated(), true))
    formats.push_back(form.storage.format);
  EXPECT_EQ(formats.front(), "tiled");
  for (const sparse::RowProfile& profile : {kLongRows, kShortRows})
    for (const job::Plan& plan : plans_for(profile)) {
      const auto found = std::ranges::count(formats, plan.storage.format);
      EXPECT_TRUE(found == 1 || !plan.on_device) << plan.text();
    }
  Texts on_host;
  for (const auto& form : job::possible_forms(generated(), false))
    on_host.push_back(form.storage.format);
  EXPECT_EQ(on_host, (Texts{"hybrid", "diagonal"}));
}

// A job that names a method has no other, whatever the rows of the table.
TEST(Plans, AndFormsAreOfTheRequestedMethod) {
  for (const job::ProductMethod* method : job::product_methods()) {
    const std::string name(job::word_of(method->elements));
    const job::Request configuration = molecule({"storage.elements=" + name});
    for (const bool on_device : {false, true}) {
      const auto forms = job::possible_forms(configuration, on_device);
      EXPECT_FALSE(forms.empty()) << name;
      for (const auto& form : forms) EXPECT_EQ(form.method, method) << name;
    }
    const auto plans = plans_of(configuration, kMuch);
    EXPECT_FALSE(plans.empty()) << name;
    for (const job::Plan& plan : plans) EXPECT_EQ(plan.method, method) << name;
  }
}

TEST(Plans, WithCountedRowsPredictTheBytesHeld) {
  const base::Backend host = base::Backend::openmp(2);
  for (const char* format : {"auto", "csr", "hybrid", "sell"}) {
    const job::Request configuration =
        generated({"problem.generate.rows=800", std::string("storage.format=") + format});
    sparse::GeneratorOptions options = configuration.generate;
    options.reference_per_row = 40;
    options.spread = 3;
    const sparse::GeneratedRows rows(options, host);
    const auto lengths = sparse::row_lengths(rows, host);
    const auto nonzeros = static_cast<double>(sparse::total(lengths.span()));
    auto plans = job::rank_plans(configuration, {800, nonzeros}, job::Resources::of(host, {}));
    ASSERT_EQ(plans.size(), 1u);
    const Index least = plans[0].demand.matrix;
    job::set_exact_bytes(plans, rows, lengths.span(), host);
    EXPECT_LE(least, plans[0].demand.matrix) << format;
    EXPECT_EQ(plans[0].demand.matrix,
              sparse::build_matrix(rows, plans[0].storage, host)->memory().held)
        << format;
  }
}

}  // namespace
}  // namespace cisolve::app
