#include <gtest/gtest.h>

#include "solver/task/sizes.hpp"

// Storage of a search space, and the memory it takes.
namespace cisolve::test {
namespace {

using base::Index;
using solver::BasisStorage;
using solver::Options;

TEST(StagedSizes, StageTheSearchSpaceIfADeviceLacksMemory) {
  constexpr Index rows = 1 << 30;
  constexpr Index vector = 8 * rows;
  Options options;
  const auto basis_storage = [&](Index device, Index host) {
    const solver::MemoryForSpace workspace{
        .bytes = device, .host_bytes = host, .on_host = false, .rows = rows, .dimension = rows};
    return solver::choose_basis_storage(options, rows,
                                        solver::FittingColumns::in(workspace, options, rows));
  };
  EXPECT_EQ(basis_storage(8 * vector, 100 * vector),
            BasisStorage::full);  // three columns, a diagonal
  EXPECT_EQ(basis_storage(6 * vector, 100 * vector),
            BasisStorage::staged);  // a direction in addition to the state
  EXPECT_EQ(basis_storage(4 * vector, 100 * vector), BasisStorage::staged);  // too few to be useful
  EXPECT_EQ(basis_storage(2 * vector, 100 * vector), BasisStorage::full);    // refused later
  EXPECT_EQ(basis_storage(6 * vector, 2 * vector), BasisStorage::full);
  // With several states moving all of them takes longer than fewer directions save.
  options.states = 4;
  options.method = solver::Method::davidson;
  EXPECT_EQ(basis_storage(14 * vector, 100 * vector), BasisStorage::full);  // six columns
  EXPECT_EQ(basis_storage(12 * vector, 100 * vector), BasisStorage::staged);
  EXPECT_EQ(basis_storage(8 * vector, 100 * vector), BasisStorage::staged);
  options.states = 1;
  options.method = solver::Method::lanczos;
  EXPECT_EQ(basis_storage(4 * vector, 100 * vector), BasisStorage::full);
  options.method = solver::Method::automatic;
  options.near = 1;
  EXPECT_EQ(basis_storage(4 * vector, 100 * vector), BasisStorage::full);
}

/// At the end the states are on the device, as whole vectors.
TEST(StagedSizes, LeaveMemoryForTheStates) {
  constexpr Index rows = 1 << 30;
  for (const Index states : {1, 4, 9})
    EXPECT_GT(solver::least_staged_bytes_for(states + 1, states, rows).device,
              8.0 * static_cast<double>(rows * (states + 2)));
}

TEST(StagedSizes, AgreeWithThePlan) {
  for (const Index rows : {Index{1'000'000}, Index{1} << 31})
    for (const Index states : {1, 4}) {
      const Index columns = states + 3;
      const auto least = solver::least_staged_bytes_for(columns, states, rows);
      const auto fitting = [&](double device, double host) {
        return solver::staged_columns_that_fit({.bytes = static_cast<Index>(device),
                                                .host_bytes = static_cast<Index>(host),
                                                .on_host = false,
                                                .rows = rows,
                                                .dimension = rows},
                                               states);
      };
      EXPECT_EQ(fitting(least.device, least.host), columns);
      EXPECT_LT(fitting(0.99 * least.device, least.host), columns);
      EXPECT_LT(fitting(least.device, 0.99 * least.host), columns);
    }
}

}  // namespace
}  // namespace cisolve::test
