#include <gmock/gmock.h>

#include "base/ranks/device_links.hpp"
#include "dist/links.hpp"
#include "tests/support/shared_halves_cases.hpp"
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

/// How often a rank listens as links begin; each ends where it has listened so often, the later
/// ones after the first.
double listens_until(double last, const base::Communicator& ranks) {
  const base::Backend device = test::rank_backend();
  double heard = 0;
  const auto links = links_between(ranks, device, [&] {
    if (++heard < last * (1 + ranks.rank())) return;
    ranks.abort(base::Fault::resources, "planted");
    throw base::PeerFailed(base::Fault::resources, "planted");
  });
  const std::vector<base::Index> counts(ranks.size(), 1000);
  base::MultiVector vectors(device, 1000 * ranks.size(), 2);
  if (links) links->exchange(vectors.block().column(0), counts, vectors.block().column(1), counts);
  return ranks.minimum(heard);
}

// Where NCCL has come to by then, only time tells: wherever it is, all end, and begin anew.
TEST_F(Devices, BeginAgainWhereverOneHasFailedAsTheyBegan) {
  std::string reason;
  if (base::cuda::device_count(reason) < 2) GTEST_SKIP() << "one device is shared by all ranks";
  constexpr double never = 1e300;
  for (const int size : test::rank_runner.sizes()) {
    double all = 0;
    const auto begin = [&](double last) {
      test::rank_runner.run(size, [&](const base::Communicator& ranks) {
        const double heard = listens_until(last, ranks);
        if (last == never) all = heard;
      });
    };
    begin(never);
    ASSERT_GT(all, 0);
    int failed = 0;
    for (const double share : {0.0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.96, 0.98, 0.99}) {
      try {
        begin(share * all);
      } catch (const base::PeerFailed& error) {
        ++failed;
        EXPECT_THAT(error.what(), ::testing::HasSubstr("planted"));
      }
    }
    EXPECT_GT(failed, 3);
    begin(never);
  }
}

}  // namespace
}  // namespace cisolve::dist
