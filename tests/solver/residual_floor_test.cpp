#include "solver/basis/residual_floor.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace cisolve::test {
namespace {

TEST(ResidualFloor, IsRaisedOnlyByResidualsNearRounding) {
  solver::ResidualFloor floor;
  for (int i = 0; i < 1000; ++i) floor.record_residual(0, 1e-8, 1e-12);  // a hard problem
  for (int i = 0; i < 1000; ++i)
    floor.record_residual(1, 1e-12 * std::pow(0.99, i), 1e-12);  // a slow one
  for (int i = 0; i < 20; ++i) {  // one that decreases from time to time
    floor.record_residual(2, 4e-13, 1e-12);
    floor.record_residual(2, i == 10 ? 3e-13 : 5e-13, 1e-12);
  }
  for (int i = 0; i < 20; ++i) floor.record_residual(2, 4e-13, 1e-12);
  EXPECT_EQ(floor.value(), 0);
  for (int i = 0; i < 40; ++i) floor.record_residual(2, i % 2 == 0 ? 4e-13 : 6e-13, 1e-12);
  EXPECT_DOUBLE_EQ(floor.value(), 6e-13);  // twice the best
}

// Repeated rotations of a basis accumulate errors slowly.
TEST(ResidualFloor, IsNotBelowADriftedResidual) {
  solver::ResidualFloor floor;
  for (int i = 0; i < 80; ++i) floor.record_residual(0, (2 + 0.1 * i) * 1e-13, 1e-12);
  EXPECT_NEAR(floor.value(), 9.9e-13, 1e-15);
  solver::ResidualFloor spiked;  // once, by ten thousand times
  for (int i = 0; i < 80; ++i) spiked.record_residual(0, i == 20 ? 1e-9 : 1e-13, 1e-8);
  EXPECT_DOUBLE_EQ(spiked.value(), 1e-12);
}

}  // namespace
}  // namespace cisolve::test
