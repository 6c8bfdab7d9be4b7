#include <gmock/gmock.h>

#include "base/device.hpp"
#include "base/ranks/device_channel.hpp"
#include "dist/device_channel.hpp"
#include "dist/mpi.hpp"
#include "dist/mpi_channel.hpp"
#include "tests/support/distributed_parity_cases.hpp"
#include "tests/support/distributed_product_cases.hpp"
#include "tests/support/vector_exchange_cases.hpp"

// Ranks of MPI, each with a device.
namespace cisolve::dist {
namespace {

class Devices : public test::BackendTest {};

// If two ranks share a device, or NCCL is missing, a GPU-aware MPI or host memory takes over.
TEST_F(Devices, ReachEachOtherIfEachRankHasItsOwn) {
  std::string reason;
  const int devices = base::cuda::device_count(reason);
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      const base::DeviceChannel* links = ranks.device_channel(test::rank_backend());
      EXPECT_TRUE(ranks.all_same(links == nullptr ? 0 : 1));
      const bool have_nccl = devices >= size && CISOLVE_WITH_NCCL;
      EXPECT_EQ(links != nullptr, have_nccl || mpi_takes_device_memory());
      const std::string expected = have_nccl ? "NCCL 2." : Mpi::library();
      if (links != nullptr) {
        EXPECT_THAT(links->name(), ::testing::StartsWith(expected));
      }
      if (ranks.rank() == 0)
        std::cout << size << " ranks, " << devices
                  << " devices: " << (links == nullptr ? "by way of the host" : links->name())
                  << '\n';
    });
}

/// Pieces of three lengths assigned to ranks round-robin, so that a rank's rows are not contiguous.
base::Layout in_turns(base::Index rows, int ranks) {
  std::vector<base::Layout::Piece> pieces;
  for (base::Index first = 0; first < rows;) {
    const base::Index length = std::min(rows - first, rows / 7 + std::ssize(pieces) % 3);
    pieces.push_back({static_cast<int>(std::ssize(pieces)) % ranks, first, length, 0});
    first += length;
  }
  return base::Layout::of_pieces(ranks, pieces);
}

void expect_others(const base::DeviceChannel& links, const base::Communicator& ranks,
                   const base::Backend& device) {
  const base::Layout layout = in_turns(70'000, ranks.size());
  std::vector<double> numbers(layout.count(ranks.rank()));
  for (const base::Layout::Piece& piece : layout.pieces_of(ranks.rank()))
    for (base::Index i = 0; i < piece.count; ++i)
      numbers[piece.at + i] = base::value_of(piece.first + i);
  const auto mine = base::Array<double>::copy_of(numbers, device, "a test");
  base::Array<double> whole(device, layout.rows(), "a test");
  for (int round = 0; round < 3; ++round)
    links.all_gather_others(layout, mine.data(), whole.data());
  const base::Array<double> found = whole.to(device.host());
  for (const base::Layout::Piece& piece : layout.pieces())
    for (base::Index row = piece.first; row < piece.first + piece.count; ++row)
      if (piece.rank != ranks.rank()) {
        ASSERT_EQ(found[row], base::value_of(row)) << links.name() << ", row " << row;
      }
}

TEST_F(Devices, GatherByNcclAndByMpi) {
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      const base::Backend device = test::rank_backend();
      if (const base::DeviceChannel* links = ranks.device_channel(device))
        expect_others(*links, ranks, device);
      const auto by_mpi = mpi_channel(ranks, device, [] {});
      ASSERT_EQ(by_mpi != nullptr, mpi_takes_device_memory());
      if (by_mpi) expect_others(*by_mpi, ranks, device);
    });
}

TEST_F(Devices, NoRankWaitsForAFailedOne) {
  for (const int size : test::rank_runner.sizes()) {
    if (size == 1) continue;
    EXPECT_THROW(test::rank_runner.run(size,
                                       [&](const base::Communicator& ranks) {
                                         const base::Backend backend = test::rank_backend();
                                         const base::VectorExchange vectors(ranks, backend);
                                         if (ranks.rank() == size - 1)
                                           base::fail(base::ErrorKind::resources, "planted");
                                         const base::Layout layout = base::Layout::even(1000, size);
                                         base::MultiVector mine(backend, 1000, 1);
                                         base::MultiVector whole(backend, 1000, 1);
                                         vectors.all_gather(layout, mine.block().column(0),
                                                            whole.block().column(0));
                                       }),
                 base::Error);
  }
}

/// Number of calls of `listen` while channels start; each rank fails at a given call, later ranks
/// after the first.
double listens_until(double last, const base::Communicator& ranks) {
  const base::Backend device = test::rank_backend();
  double heard = 0;
  const auto links = make_device_channel(ranks, device, [&] {
    if (++heard < last * (1 + ranks.rank())) return;
    ranks.abort(base::ErrorKind::resources, "planted");
    throw base::PeerFailed(base::ErrorKind::resources, "planted");
  });
  const std::vector<base::Index> counts(ranks.size(), 1000);
  base::MultiVector vectors(device, 1000 * ranks.size(), 2);
  if (links) links->exchange(vectors.block().column(0), counts, vectors.block().column(1), counts);
  return ranks.minimum(heard);
}

// The progress of NCCL at that time varies; in every case all ranks end and can start again.
TEST_F(Devices, StartAgainAfterAnyFailureAtTheStart) {
  std::string reason;
  if (base::cuda::device_count(reason) < test::rank_runner.sizes().back() || !CISOLVE_WITH_NCCL)
    GTEST_SKIP() << "NCCL needs a device for each rank";
  constexpr double never = 1e300;
  for (const int size : test::rank_runner.sizes()) {
    double all = 0;
    const auto begin = [&](double last) {
      test::rank_runner.run(size, [&](const base::Communicator& ranks) {
        const double heard = listens_until(last, ranks);
        if (last == never) all = heard;
      });
    };
    for (int round = 0; round < 2; ++round) begin(never);  // the first one takes longer
    ASSERT_GT(all, 0);
    int failed = 0;
    for (const double share : {0.0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.96, 0.98, 0.99}) {
      try {
        begin(share * all);
      } catch (const base::PeerFailed& error) {
        ++failed;
        EXPECT_THAT(error.what(), ::testing::HasSubstr("planted"));
      } catch (const base::Error&) {
        ++failed;  // NCCL reported it first
      }
    }
    EXPECT_GT(failed, 0);  // their number depends on the time
    begin(never);
  }
}

}  // namespace
}  // namespace cisolve::dist
