#include <gtest/gtest.h>

#include <cuda.h>

#include <thread>
#include <vector>

#include "base/array.hpp"
#include "base/block_kernels.hpp"
#include "base/cuda/context.hpp"
#include "base/device.hpp"
#include "base/fill.hpp"
#include "base/multivector.hpp"
#include "tests/support/backend.hpp"

// Several devices in one process; skipped with one. The first test checks which devices are open,
// so it precedes those that open more.
namespace cisolve::base {
namespace {

class Devices : public test::BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    if (IsSkipped()) return;
    std::string reason;
    if (const int count = cuda::device_count(reason); count < 2)
      GTEST_SKIP() << "two CUDA devices are needed, and there is " << count;
  }
};

/// Whether this process has opened a device, as the driver says.
bool is_open(int device) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  cuda::check(cudaGetDriverEntryPointByVersion("cuDevicePrimaryCtxGetState", &entry, 12000,
                                               cudaEnableDefault, &found),
              "cudaGetDriverEntryPointByVersion");
  unsigned flags = 0;
  int active = 0;
  const auto state = reinterpret_cast<CUresult (*)(CUdevice, unsigned*, int*)>(entry);
  EXPECT_EQ(state(device, &flags, &active), CUDA_SUCCESS);
  return active != 0;
}

int device_of(const void* pointer) {
  cudaPointerAttributes attributes{};
  cuda::check(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
  return attributes.device;
}

TEST_F(Devices, OpeningOneOpensNoOther) {
  ASSERT_FALSE(is_open(0) || is_open(1));
  const Backend backend = Backend::by_name("cuda:1", 1, {});
  EXPECT_TRUE(backend.description().starts_with("device 1: ")) << backend.description();
  const Array<double> values(backend, 1000, "values");
  EXPECT_TRUE(is_open(1));
  EXPECT_FALSE(is_open(0));
}

TEST_F(Devices, EachHoldsAndComputesItsOwnArrays) {
  const Backend first = Backend::cuda(0);
  const Backend second = Backend::cuda(1);
  const Backend host = Backend::reference();
  // Alternates, so that the device used last is the other one.
  MultiVector x(first, 1000, 3);
  MultiVector y(second, 1000, 3);
  block_kernels(first).fill(first, 2, x.block());
  block_kernels(second).fill(second, 3, y.block());
  SmallMatrix of_first(3, 3);
  SmallMatrix of_second(3, 3);
  block_kernels(first).gram(first, x.block(), x.block(), of_first);
  block_kernels(second).gram(second, y.block(), y.block(), of_second);
  EXPECT_EQ(of_first(0, 2), 4000);
  EXPECT_EQ(of_second(0, 2), 9000);
  EXPECT_EQ(device_of(x.block().data), 0);
  EXPECT_EQ(device_of(y.block().data), 1);
  EXPECT_EQ(device_of(first.scratch(Index{1} << 24)), 0);
  EXPECT_EQ(device_of(second.scratch(Index{1} << 24)), 1);
  Array<double> bytes(first, 10, "bytes");
  fill_bytes(bytes, 0);
  EXPECT_EQ(bytes.to(host)[9], 0);
}

TEST_F(Devices, AnyThreadMayWorkOnAny) {
  const Backend host = Backend::reference();
  std::vector<Backend> backends{Backend::cuda(1), Backend::cuda(0)};
  std::vector<std::thread> threads;
  std::vector<double> sums(backends.size(), 0);
  for (std::size_t k = 0; k < backends.size(); ++k)
    threads.emplace_back([&, k] {
      const Backend& backend = backends[k];
      for (int round = 0; round < 50; ++round) {
        MultiVector x(backend, 5000, 16);
        block_kernels(backend).fill(backend, 1, x.block());
        SmallMatrix gram(16, 16);  // computed by cuBLAS, whose handle is created here
        block_kernels(backend).gram(backend, x.block(), x.block(), gram);
        sums[k] += gram(15, 15);
        if (device_of(x.block().data) != backend.device().info().number) sums[k] = -1e9;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sums, (std::vector<double>{250000, 250000}));
  EXPECT_GT(cuda::free_bytes(backends[0].device()), 0);
}

TEST_F(Devices, CopiesBetweenThemWaitForPendingKernelsOfBoth) {
  constexpr Index rows = Index{1} << 22;
  constexpr int columns = 16;
  const Backend first = Backend::cuda(0);
  const Backend second = Backend::cuda(1);
  MultiVector x(first, rows, columns);
  for (int round = 1; round <= 4; ++round) {
    for (int again = 0; again < 20; ++again) block_kernels(first).fill(first, 0, x.block());
    block_kernels(first).fill(first, round, x.block());
    MultiVector there = x.to(second);
    block_kernels(second).scale(second, std::vector<double>(columns, 10), there.block());
    x = there.to(first);
    const MultiVector found = x.to(first.host());
    for (int j = 0; j < columns; ++j)
      for (Index i = 0; i < rows; i += 4099) ASSERT_EQ(found(i, j), 10 * round);
  }
}

}  // namespace
}  // namespace cisolve::base
