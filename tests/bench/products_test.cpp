#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "bench/products/kernels.hpp"
#include "bench/products/length_rows.hpp"
#include "bench/products/matrices.hpp"
#include "bench/products/measure.hpp"
#include "bench/products/report.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::bench {
namespace {

const base::Backend kHost = base::Backend::openmp();
constexpr Index kRateBytes = 1 << 20;

Workload small(Index rows, double mean) {
  return {"small", sparse::build_csr(LengthRows({rows, 2 * rows, mean, 3}), kHost)};
}

/// A kernel whose products are wrong by a factor 1 + 1e-10.
Kernel wrong_kernel() {
  Kernel kernel{.name = "openmp/wrong", .threads = 1};
  kernel.prepare = [](const Workload& matrix, const base::Backend&, int) {
    const sparse::Csr& csr = matrix.csr();
    return prepared(1, [&csr](double alpha, base::ConstBlock x, double, base::Block y) {
      for (Index row = 0; row < y.rows; ++row) {
        double sum = 0;
        for (Index k = csr.offsets[row]; k < csr.offsets[row + 1]; ++k)
          sum += csr.values[k] * x(csr.columns[k], 0);
        y(row, 0) = alpha * sum * (1 + 1e-10);
      }
    });
  };
  return kernel;
}

Kernel failing_kernel(base::ErrorKind kind) {
  Kernel kernel{.name = "openmp/failing", .threads = 1};
  kernel.prepare = [kind](const Workload&, const base::Backend&,
                          int) -> std::unique_ptr<PreparedMatrix> {
    base::fail(kind, "too large");
  };
  return kernel;
}

TEST(BenchProducts, GeneratedRowsHaveTheRequestedStatistics) {
  for (const auto& [mean, deviation] : {std::pair{3.1, 2.5}, {40.0, 20.0}, {39.0, 0.0}}) {
    const LengthRows rows({50000, 60000, mean, deviation, 5});
    const auto lengths = sparse::row_lengths(rows, kHost);
    double sum = 0;
    double squares = 0;
    for (const Column length : lengths.span()) {
      sum += length;
      squares += static_cast<double>(length) * length;
    }
    const double found = sum / 50000;
    EXPECT_NEAR(found, mean, 0.02 * mean);
    EXPECT_NEAR(std::sqrt(squares / 50000 - found * found), deviation, 0.06 * deviation + 1e-6);
  }
}

TEST(BenchProducts, GeneratedRowsAreSortedAndReproducible) {
  const LengthRows rows({300, 40, 25, 15, 2});
  const sparse::Csr whole = sparse::build_csr(rows, kHost);
  for (Index row = 0; row < 300; ++row)
    for (Index k = whole.offsets[row] + 1; k < whole.offsets[row + 1]; ++k)
      ASSERT_LT(whole.columns[k - 1], whole.columns[k]);
  std::vector<Column> columns(whole.offsets[18] - whole.offsets[17]);
  std::vector<double> values(columns.size());
  rows.fill(17, 18, columns, values);
  EXPECT_TRUE(std::equal(values.begin(), values.end(), whole.values.data() + whole.offsets[17]));
}

TEST(BenchProducts, EveryHostKernelIsMeasuredAndCorrect) {
  const std::vector<Kernel> kernels = all_kernels({1, 2});
  const std::vector<Kernel> host = chosen_kernels(kernels, {"openmp/*", "serial/*"});
  Measurer measurer({.vectors = {1, 2}, .repeat = 3, .rate_bytes = kRateBytes});
  const Workload matrix = small(700, 9);
  const MatrixResults outcome = measurer.measure(matrix, host);
  EXPECT_EQ(outcome.outcomes.size(), 2 * host.size());
  ASSERT_EQ(outcome.rates.size(), 1);
  EXPECT_GT(outcome.rates[0].copy.median, 1e8);
  for (const KernelResult& each : outcome.outcomes) {
    if (!each.skipped.empty()) continue;
    EXPECT_TRUE(each.right) << each.kernel << ", error " << each.error;
    EXPECT_EQ(each.runs, 3);
    EXPECT_GT(each.seconds.lower, 0);
    EXPECT_LE(each.seconds.lower, each.seconds.median);
    EXPECT_LE(each.seconds.median, each.seconds.upper);
    EXPECT_GE(each.bytes, 8 * matrix.nonzeros());
    EXPECT_NEAR(each.fraction_of_copy, 1e9 * each.gbytes / outcome.rates[0].copy.median,
                1e-9 * each.fraction_of_copy);
    EXPECT_NEAR(each.gflops,
                2e-9 * static_cast<double>(matrix.nonzeros()) * each.vectors / each.seconds.median,
                1e-6 * each.gflops);
  }
}

TEST(BenchProducts, AWrongProductIsReported) {
  Measurer measurer({.repeat = 1, .rate_bytes = kRateBytes});
  const MatrixResults outcome = measurer.measure(small(100, 5), {wrong_kernel()});
  ASSERT_EQ(outcome.outcomes.size(), 1);
  EXPECT_FALSE(outcome.outcomes[0].right);
  EXPECT_NEAR(outcome.outcomes[0].error, 1e-10, 1e-10);
  std::ostringstream table;
  write_table(table, outcome);
  EXPECT_NE(table.str().find("WRONG"), std::string::npos);
}

TEST(BenchProducts, KernelsThatDoNotFitOrRefuseAreReportedAsSkipped) {
  Measurer measurer({.repeat = 1, .rate_bytes = kRateBytes});
  std::vector<Kernel> kernels = chosen_kernels(all_kernels({1}), {"openmp/csr-static"});
  kernels.push_back(failing_kernel(base::ErrorKind::resources));
  kernels.push_back(failing_kernel(base::ErrorKind::configuration));
  Kernel refusing = wrong_kernel();
  refusing.obstacle = [](const Workload&, int) { return "takes no such matrix"; };
  kernels.push_back(refusing);
  const MatrixResults outcome = measurer.measure(small(100, 5), kernels);
  std::vector<std::string> skipped;
  for (const KernelResult& each : outcome.outcomes) skipped.push_back(each.skipped);
  std::ranges::sort(skipped);
  EXPECT_EQ(skipped,
            (std::vector<std::string>{"", "takes no such matrix", "too large", "too large"}));
  const MatrixResults all[] = {outcome};
  EXPECT_NE(csv(all).find("\"takes no such matrix\""), std::string::npos);
  EXPECT_NE(json(all, 1).find("\"skipped\": \"too large\""), std::string::npos);
}

TEST(BenchProducts, KernelsAreChosenByPattern) {
  const std::vector<Kernel> all = all_kernels({1, 2});
  const auto names = [&](const std::vector<std::string>& patterns) {
    std::vector<std::string> found;
    for (const Kernel& kernel : chosen_kernels(all, patterns)) found.push_back(full_name(kernel));
    return found;
  };
  EXPECT_EQ(names({"openmp/csr-static"}),
            (std::vector<std::string>{"openmp/csr-static@1", "openmp/csr-static@2"}));
  EXPECT_EQ(names({"*/csr-st*@2"}), std::vector<std::string>{"openmp/csr-static@2"});
  EXPECT_TRUE(names({"nothing"}).empty());
  EXPECT_EQ(names({"*"}).size(), all.size());
}

TEST(BenchProducts, NamesOfKernelsAreUnique) {
  std::vector<std::string> names;
  for (const Kernel& kernel : all_kernels({1, 2})) names.push_back(full_name(kernel));
  std::ranges::sort(names);
  EXPECT_TRUE(std::ranges::adjacent_find(names) == names.end());
}

TEST(BenchProducts, MatricesAreFoundByName) {
  for (const std::string& name : suite_names()) EXPECT_FALSE(suite(name, "data").empty()) << name;
  EXPECT_EQ(suite("paper", "").size(), 10);
  const sparse::Csr tiny = matrix_by_name("tiny", "").make(kHost);
  EXPECT_EQ(tiny.shape.rows, 9);
  const auto path =
      std::filesystem::temp_directory_path() / base::concat("ci-solve-bench-", ::getpid(), ".mtx");
  std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n2 3 1\n2 3 0.5\n";
  const sparse::Csr read = matrix_by_name(path.string(), "").make(kHost);
  std::filesystem::remove(path);
  EXPECT_EQ(read.shape.columns, 3);
  EXPECT_EQ(read.nonzeros(), 1);
  EXPECT_THROW(matrix_by_name("no such matrix", ""), base::Error);
  EXPECT_THROW(suite("no such suite", ""), base::Error);
}

}  // namespace
}  // namespace cisolve::bench
