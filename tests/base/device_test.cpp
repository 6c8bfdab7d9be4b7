#include "base/device.hpp"

#include <algorithm>

#include "base/array.hpp"
#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "base/multivector.hpp"
#include "base/random.hpp"
#include "base/stopwatch.hpp"
#include "tests/support/backend.hpp"

// Behaviour of a device that is shared, or full.
namespace cisolve::base {
namespace {

class Device : public test::BackendTest {};

TEST_F(Device, SharesThreadsAndBudgetWithItsHostBackend) {
  const Backend host = Backend::openmp(3, {.host_bytes = 1000});
  const Backend device = Backend::cuda(cuda::make_context(0), host, 5000);
  EXPECT_EQ(device.kind(), BackendKind::cuda);
  EXPECT_EQ(device.threads(), 3);
  EXPECT_EQ(device.host().threads(), 3);
  EXPECT_EQ(device.memory().limit(), 5000);
  const Array<double> here(host, 100, "the first");
  EXPECT_EQ(device.host_memory().used(), 800);
  const Array<double> there(device, 100, "the second");
  EXPECT_EQ(device.memory().used(), 800);
  EXPECT_EQ(host.memory().used(), 800);
  EXPECT_THROW(Array<double>(device.host(), 26, "the third"), Error);
}

TEST_F(Device, ASecondBackendBudgetsTheMemoryFreeAtThatTime) {
  constexpr Index held = Index{1} << 30;
  const Backend host = Backend::openmp();
  const auto device = cuda::make_context(0);
  const Backend first = Backend::cuda(device, host, 0);
  const Array<char> values(first, held, "the values");
  const Backend second = Backend::cuda(device, host, 0);
  EXPECT_LT(second.memory().limit(), first.memory().limit() - held / 2);
}

TEST_F(Device, ACopyBetweenTwoBackendsWaitsForPendingWrites) {
  constexpr Index rows = Index{1} << 22;
  constexpr int columns = 16;
  const Backend first = Backend::cuda(0);
  const Backend second = Backend::cuda(0);
  const BlockKernels& kernels = block_kernels(first);
  MultiVector written(first, rows, columns);
  for (int round = 1; round <= 4; ++round) {
    for (int again = 0; again < 20; ++again) kernels.fill(first, 0, written.block());
    kernels.fill(first, round, written.block());
    const MultiVector copied = written.to(second).to(second.host());
    for (int j = 0; j < columns; ++j)
      for (Index i = 0; i < rows; i += 4099) ASSERT_EQ(copied(i, j), round);
  }
}

TEST_F(Device, AStreamTimerMeasuresQueuedWorkOnly) {
  const Backend device = Backend::cuda(0);
  const BlockKernels& kernels = block_kernels(device);
  MultiVector vectors(device, Index{1} << 22, 16);
  const auto work = [&](int times) {
    for (int i = 0; i < times; ++i) kernels.fill(device, i, vectors.block());
  };
  work(1);
  device.synchronize();
  cuda::StreamTimer watch(device.device());
  EXPECT_EQ(watch.seconds(), 0);
  const Stopwatch all;
  watch.begin();
  work(20);
  watch.end();
  const double first = watch.seconds();
  EXPECT_LE(first, all.seconds());
  work(1000);
  watch.begin();
  work(20);
  watch.end();
  // Other programs on the device stretch a measurement several times, not 25 times.
  EXPECT_LT(watch.seconds(), 25 * first);
  EXPECT_GT(watch.seconds(), first);
}

TEST_F(Device, ALargeCopyIsWholeInBothDirections) {
  const Backend device = Backend::cuda(0);
  for (const Index bytes : {Index{32} << 20, (Index{43} << 20) + 13}) {
    Array<char> values(device.host(), bytes, "the values");
    for (Index i = 0; i < bytes; ++i) values[i] = static_cast<char>(mix(7, i));
    const Array<char> back = values.to(device).to(device.host());
    EXPECT_TRUE(std::ranges::equal(back.span(), values.span())) << bytes;
  }
}

TEST_F(Device, AnExhaustedBudgetIsRefusedAsMissingMemory) {
  const Backend device = Backend::cuda(0, {.device_bytes = 1000});
  try {
    const Array<double> much(device, 126, "the values");
    FAIL() << "1008 B of 1000 B";
  } catch (const DeviceMemoryError& error) {
    EXPECT_STREQ(error.what(),
                 "not enough device memory: the values needs 1008 B, but only 1000 B of the memory "
                 "budget of "
                 "1000 B are free; raise the budget or choose a smaller problem");
  }
}

// The budget exceeds free memory, as if another program had allocated it meanwhile.
TEST_F(Device, MissingMemoryIsRefusedWithTheFreeBytesAndHarmsNothing) {
  const Backend device = Backend::cuda(0, {.device_bytes = Index{1} << 50});
  for (int round = 0; round < 2; ++round) {
    try {
      const Array<char> much(device, 2 * cuda::describe(device.device()).total_bytes, "the values");
      FAIL() << "twice the memory of the device";
    } catch (const DeviceMemoryError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(" for the values although the budget has them: "), std::string::npos)
          << message;
      EXPECT_NE(message.find("are free"), std::string::npos) << message;
    }
    EXPECT_EQ(device.memory().used(), 0);
  }
  const Array<double> small = Array<double>::copy_of(std::vector<double>{1, 2, 3}, device, "three");
  EXPECT_EQ(small.to(device.host())[2], 3);
}

TEST_F(Device, AWorkspaceThatDoesNotFitIsRefusedAndOthersStay) {
  const Backend device = Backend::cuda(0, {.device_bytes = Index{1} << 50});
  EXPECT_NE(device.scratch(1000), nullptr);
  EXPECT_THROW(device.scratch(2 * cuda::describe(device.device()).total_bytes), DeviceMemoryError);
  EXPECT_EQ(device.memory().used(), 0);
  EXPECT_NE(device.scratch(1000), nullptr);
}

}  // namespace
}  // namespace cisolve::base
