#include "base/cuda/small_transfers.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <span>
#include <vector>

#include "base/cuda/elements.cuh"
#include "tests/support/backend.hpp"

namespace cisolve::base::cuda {
namespace {

std::vector<double> brought_back(const Backend& device, const KernelArray<double, 8>& few,
                                 Index count) {
  const PinnedResults landing(device, count, 0);
  double* const numbers = landing.numbers();
  launch_elements(device, count, 1,
                  [=] __device__(Index i, int) { numbers[i] = few[static_cast<int>(i)]; });
  std::vector<double> values(count);
  landing.take(values);
  return values;
}

class FewNumbers : public test::BackendTest {};

/// Results of kernels through PinnedResults.
std::vector<double> landed(const Backend& device, Index count) {
  const PinnedResults landing(device, count, count);
  double* const numbers = landing.numbers();
  double* const beside = landing.beside();
  launch_elements(device, count, 1, [=] __device__(Index i, int) { beside[i] = 2.0 * i; });
  launch_elements(device, count, 1, [=] __device__(Index i, int) { numbers[i] = beside[i] + 1; });
  std::vector<double> values(count);
  landing.take(values);
  return values;
}

void expect_odd(const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], 2.0 * i + 1) << i;
}

TEST_F(FewNumbers, LandOnTheHostOneTimeAfterTheOther) {
  const Backend device = test::backend_under_test();
  for (const Index count : {1, 7, 4096, 8192}) expect_odd(landed(device, count));
}

TEST_F(FewNumbers, AreCopiedWhereThereAreMoreThanTheRoomHolds) {
  expect_odd(landed(test::backend_under_test(), Index{1} << 20));
}

TEST_F(FewNumbers, AreCopiedWhereAnotherHasTheRoomWhoseNumbersStay) {
  const Backend device = test::backend_under_test();
  PinnedBuffer& room = device.device().results_buffer();
  const std::unique_lock others(room.mutex());
  const std::span theirs(reinterpret_cast<double*>(room.of(Context::kResultsBytes)), 100);
  std::ranges::fill(theirs, -1);
  expect_odd(landed(device, 100));
  EXPECT_EQ(std::ranges::count(theirs, -1), 100);
}

TEST_F(FewNumbers, GoWithALaunch) {
  const Backend device = test::backend_under_test();
  const std::vector<double> given = {3, 1, 4, 1, 5};
  EXPECT_EQ(brought_back(device, KernelArray<double, 8>(given), 5), given);
}

}  // namespace
}  // namespace cisolve::base::cuda
