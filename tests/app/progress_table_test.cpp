#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "app/report/progress.hpp"
#include "base/error.hpp"
#include "solver/task/snapshot.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::app {
namespace {

class NoState final : public solver::CheckpointSource {
 public:
  solver::Snapshot snapshot() override { base::fail(base::ErrorKind::internal, "not asked for"); }
  const base::Communicator& ranks() const override { return solver::kOneProcess; }
};

/// The words of the header and of the line of one iteration.
std::vector<std::vector<std::string>> table(const std::vector<double>& energies,
                                            const std::vector<double>& residuals) {
  std::ostringstream out;
  NoState state;
  ProgressTable(out).report({.iteration = 7,
                             .subspace = 9,
                             .products = 12,
                             .searching = false,
                             .energies = energies,
                             .residuals = residuals,
                             .seconds = 0.5,
                             .product_seconds = 0.25,
                             .bytes_per_second = 2e9,
                             .state = state});
  std::vector<std::vector<std::string>> lines;
  std::istringstream text(out.str());
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    lines.emplace_back(std::istream_iterator<std::string>(words),
                       std::istream_iterator<std::string>());
  }
  return lines;
}

using Words = std::vector<std::string>;

TEST(ProgressTable, OneStateHasItsEnergyAndResidual) {
  const auto lines = table({-1.5}, {1e-3});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            (Words{"iteration", "products", "energy", "1", "change", "residual", "time", "GB/s"}));
  EXPECT_EQ(lines[1], (Words{"7", "12", "-1.5000000000", "1.0e-03", "0.5", "s", "2.0"}));
}

TEST(ProgressTable, OfSeveralStatesTheSlowestIsNamed) {
  const auto lines = table({-1.5, -1.25, -1}, {1e-9, 2e-3, 1e-4});
  EXPECT_EQ(lines[0], (Words{"iteration", "products", "energy", "1", "energy", "2", "energy", "3",
                             "slowest", "change", "residual", "time", "GB/s"}));
  EXPECT_EQ(lines[1], (Words{"7", "12", "-1.5000000000", "-1.2500000000", "-1.0000000000", "2",
                             "2.0e-03", "0.5", "s", "2.0"}));
}

TEST(ProgressTable, OfManyStatesTheSlowestHasItsEnergyToo) {
  const auto lines = table({-1.5, -1.25, -1, -0.5, -0.25}, {1e-9, 1e-9, 1e-9, 3e-2, 1e-4});
  EXPECT_EQ(lines[0], (Words{"iteration", "products", "energy", "1", "energy", "2", "slowest",
                             "its", "energy", "change", "residual", "time", "GB/s"}));
  EXPECT_EQ(lines[1], (Words{"7", "12", "-1.5000000000", "-1.2500000000", "4", "-0.5000000000",
                             "3.0e-02", "0.5", "s", "2.0"}));
}

}  // namespace
}  // namespace cisolve::app
