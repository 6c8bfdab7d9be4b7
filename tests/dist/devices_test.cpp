#include <gmock/gmock.h>

#include "base/ranks/device_links.hpp"
#include "tests/support/shared_product_cases.hpp"
#include "tests/support/vector_exchange_cases.hpp"

// Ranks of MPI, each with a device.
namespace cisolve::dist {
namespace {

class Devices : public test::BackendTest {};

// Where two ranks have one device, or there is no NCCL, the memory of the host carries all.
TEST_F(Devices, ReachEachOtherWhereEachRankHasItsOwn) {
  std::string reason;
  const int devices = base::cuda::device_count(reason);
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      const base::DeviceLinks* links = ranks.links(test::rank_backend());
      EXPECT_TRUE(ranks.all_same(links == nullptr ? 0 : 1));
      EXPECT_EQ(links != nullptr, devices >= size && CISOLVE_WITH_NCCL);
      if (links != nullptr) {
        EXPECT_THAT(links->name(), ::testing::StartsWith("NCCL 2."));
      }
      if (ranks.rank() == 0)
        std::cout << size << " ranks, " << devices
                  << " devices: " << (links == nullptr ? "by way of the host" : links->name())
                  << '\n';
    });
}

TEST_F(Devices, NoneWaitsForOneThatHasFailed) {
  for (const int size : test::rank_runner.sizes()) {
    if (size == 1) continue;
    EXPECT_THROW(test::rank_runner.run(size,
                                       [&](const base::Communicator& ranks) {
                                         const base::Backend backend = test::rank_backend();
                                         const base::VectorExchange vectors(ranks, backend);
                                         if (ranks.rank() == size - 1)
                                           base::fail(base::Fault::resources, "planted");
                                         const base::Layout layout = base::Layout::even(1000, size);
                                         base::MultiVector mine(backend, 1000, 1);
                                         base::MultiVector whole(backend, 1000, 1);
                                         vectors.everywhere(layout, mine.block().column(0),
                                                            whole.block().column(0));
                                       }),
                 base::Error);
  }
}

}  // namespace
}  // namespace cisolve::dist
