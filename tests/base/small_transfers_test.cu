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

std::vector<double> elements_of(const Backend& device, const KernelArray<double, 8>& array,
                                Index count) {
  const PinnedResults results(device, count, 0);
  double* const numbers = results.numbers();
  launch_elements(device, count, 1,
                  [=] __device__(Index i, int) { numbers[i] = array[static_cast<int>(i)]; });
  std::vector<double> values(count);
  results.take(values);
  return values;
}

class SmallTransfers : public test::BackendTest {};

/// Results of two kernels, of which the first writes to the scratch memory.
std::vector<double> computed_results(const Backend& device, Index count) {
  const PinnedResults results(device, count, count);
  double* const numbers = results.numbers();
  double* const scratch = results.scratch();
  launch_elements(device, count, 1, [=] __device__(Index i, int) { scratch[i] = 2.0 * i; });
  launch_elements(device, count, 1, [=] __device__(Index i, int) { numbers[i] = scratch[i] + 1; });
  std::vector<double> values(count);
  results.take(values);
  return values;
}

void expect_odd(const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], 2.0 * i + 1) << i;
}

TEST_F(SmallTransfers, BringResultsToTheHostRepeatedly) {
  const Backend device = test::backend_under_test();
  for (const Index count : {1, 7, 4096, 8192}) expect_odd(computed_results(device, count));
}

TEST_F(SmallTransfers, AreCopiesIfTheBufferIsTooSmall) {
  expect_odd(computed_results(test::backend_under_test(), Index{1} << 20));
}

TEST_F(SmallTransfers, AreCopiesWhileAnotherThreadUsesTheBuffer) {
  const Backend device = test::backend_under_test();
  PinnedBuffer& buffer = device.device().results_buffer();
  const std::unique_lock others(buffer.mutex());
  const std::span theirs(reinterpret_cast<double*>(buffer.of(Context::kResultsBytes)), 100);
  std::ranges::fill(theirs, -1);
  expect_odd(computed_results(device, 100));
  EXPECT_EQ(std::ranges::count(theirs, -1), 100);
}

TEST_F(SmallTransfers, PassArraysAsKernelArguments) {
  const Backend device = test::backend_under_test();
  const std::vector<double> given = {3, 1, 4, 1, 5};
  EXPECT_EQ(elements_of(device, KernelArray<double, 8>(given), 5), given);
}

}  // namespace
}  // namespace cisolve::base::cuda
