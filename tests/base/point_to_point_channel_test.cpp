#include "base/ranks/point_to_point_channel.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

#include "base/ranks/thread_ranks.hpp"
#include "base/text.hpp"

// Messages that ranks start, and their order, whatever the transport.
namespace cisolve::base {
namespace {

using testing::ElementsAre;

/// Records its calls, with offsets from the first number of either side.
class RecordingChannel final : public PointToPointChannel {
 public:
  explicit RecordingChannel(const Communicator& ranks) : PointToPointChannel(ranks) {}
  std::string name() const override { return "noted"; }

  std::vector<std::string> of_others(const Layout& layout) const {
    started_.clear();
    all_gather_others(layout, numbers_.data(), received_.data());
    return started_;
  }
  std::vector<std::string> of_exchange(std::span<const Index> sent,
                                       std::span<const Index> received) const {
    started_.clear();
    exchange(numbers_.data(), sent, received_.data(), received);
    return started_;
  }

 private:
  void send_to(int rank, const double* numbers, Index count) const override {
    started_.push_back(concat(count, " at ", numbers - numbers_.data(), " to ", rank));
  }
  void receive_from(int rank, double* numbers, Index count) const override {
    started_.push_back(concat(count, " at ", numbers - received_.data(), " from ", rank));
  }
  void keep(const double* from, double* to, Index count) const override {
    started_.push_back(
        concat(count, " at ", from - numbers_.data(), " kept at ", to - received_.data()));
  }
  void begin_as_group(const std::function<void()>& start) const override {
    started_.emplace_back("together");
    start();
  }

  std::array<double, 20> numbers_{};
  mutable std::array<double, 20> received_{};
  mutable std::vector<std::string> started_;
};

TEST(PointToPointChannel, OrderTheTransfersOfTwoRanksTheSameWayOnBoth) {
  const std::vector<Layout::Piece> pieces{
      {0, 0, 2, 0}, {1, 2, 3, 0}, {0, 5, 1, 0}, {1, 6, 2, 0}, {2, 8, 4, 0}};
  const Layout layout = Layout::of_pieces(3, pieces);
  run_as_ranks(3, [&](const Communicator& ranks) {
    const RecordingChannel links(ranks);
    if (ranks.rank() == 1) {
      EXPECT_THAT(links.of_others(layout),
                  ElementsAre("together", "2 at 0 from 0", "1 at 5 from 0", "3 at 0 to 0",
                              "3 at 0 to 2", "2 at 3 to 0", "2 at 3 to 2", "4 at 8 from 2"));
      EXPECT_THAT(links.of_exchange(std::array<Index, 3>{1, 2, 3}, std::array<Index, 3>{4, 2, 5}),
                  ElementsAre("together", "1 at 0 to 0", "4 at 0 from 0", "2 at 1 kept at 4",
                              "3 at 3 to 2", "5 at 6 from 2"));
    }
    if (ranks.rank() == 2) {
      EXPECT_THAT(links.of_others(layout),
                  ElementsAre("together", "2 at 0 from 0", "1 at 5 from 0", "3 at 2 from 1",
                              "2 at 6 from 1", "4 at 0 to 0", "4 at 0 to 1"));
    }
  });
}

}  // namespace
}  // namespace cisolve::base
