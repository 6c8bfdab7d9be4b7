#include "tests/support/shared_halves_cases.hpp"

#include <algorithm>

#include "ci/flip/half_shares.hpp"
#include "tests/support/thread_runner.hpp"

namespace cisolve::ci {
namespace {

/// Strings by turns, so that each rank has several runs of each list.
struct Shared {
  Shared(const SpinFlip& flip, int ranks) {
    const SpinFlipView view = flip.view();
    std::vector<Index> first_row(view.rows, view.rows + view.strings);
    std::ranges::sort(first_row);
    first_row.push_back(FlipShares(flip).layout().rows());
    const std::vector<double> work(view.strings, 1.0);
    const DealtStrings strings(first_row, work, ranks);
    for (int r = 0; r < ranks; ++r) all.emplace_back(flip, strings, first_row, r);
  }
  std::vector<FlipShares> all;
};

/// Each half is folded once, by the rank that has it, and told to each other rank once.
TEST(HalfShares, AreAllHalvesOnceOnEveryRank) {
  for (const NamedHamiltonian& named : test::flipped_kinds()) {
    const auto product = FactorisedHamiltonian(named.rows()).product(one_thread());
    const SpinFlip& flip = *flips_of(*product).flip();
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const Halves halves(flip, parity);
      for (const int ranks : {1, 2, 3, 7}) {
        SCOPED_TRACE(base::concat(named.name, " on ", ranks));
        const Shared shared(flip, ranks);
        for (const FlipShares& mine : shared.all) {
          const HalfShares shares(halves, mine);
          EXPECT_EQ(shares.layout().rows(), halves.rows());
          for (const StagedIn in : {StagedIn::room, StagedIn::image}) {
            const Index room = in == StagedIn::room ? mine.staged() : mine.staged_in_image();
            std::vector<int> told(halves.rows());
            for (const HalfShares::Round& round : shares.rounds(in)) {
              EXPECT_LE(round.layout.rows() - round.layout.count(mine.rank()), room);
              for (const HalfPatch& patch : round.patches.all)
                for (Index i = patch.i; i < patch.i_end; ++i)
                  for (Index j = patch.j; j < patch.j_end; ++j) {
                    const SpinFlipView::Block& b = flip.view().blocks[patch.block];
                    const bool is_square = b.alphas == b.betas;
                    if (is_square && (j > i || (j == i && parity == Parity::odd))) continue;
                    ++told[halves.view().at(patch.block, i, j)];
                  }
            }
            EXPECT_EQ(std::ranges::count(told, 1), std::ssize(told));
          }
        }
      }
    }
  }
}

/// What one sends to another is what that expects of it, no rank sends anything to itself, and no
/// number is sent that its receiver does not fold.
TEST(FlipShares, SendEachNumberToTheOneThatFoldsIt) {
  for (const NamedHamiltonian& named : test::flipped_kinds()) {
    const auto product = FactorisedHamiltonian(named.rows()).product(one_thread());
    const SpinFlip& flip = *flips_of(*product).flip();
    const Halves even(flip, Parity::even);
    const Halves odd(flip, Parity::odd);
    for (const int ranks : {1, 2, 3, 7}) {
      SCOPED_TRACE(base::concat(named.name, " on ", ranks));
      const Shared shared(flip, ranks);
      Index folded_here = 0;
      Index sent = 0;
      for (int r = 0; r < ranks; ++r) {
        const FlipShares& mine = shared.all[r];
        EXPECT_EQ(mine.sent_counts()[r], 0);
        for (int s = 0; s < ranks; ++s)
          EXPECT_EQ(mine.sent_counts()[s], shared.all[s].received_counts()[r]);
        Index of_rows = 0;
        for (const FlipShares::Sent& row : mine.sent()) of_rows += row.count;
        EXPECT_EQ(of_rows, mine.sent_numbers());
        sent += of_rows;
        EXPECT_EQ(mine.halves(), HalfShares(even, mine).layout().count(r) +
                                     HalfShares(odd, mine).layout().count(r));
        const HalfShares shares(odd, mine);
        for (const HalfPatch& patch : shares.folds().all) {
          const SpinFlipView::Block& b = flip.view().blocks[patch.block];
          for (Index i = patch.i; i < patch.i_end && patch.is_here; ++i)
            folded_here +=
                (b.alphas == b.betas ? std::clamp(i, patch.j, patch.j_end) : patch.j_end) - patch.j;
        }
      }
      EXPECT_EQ(folded_here + sent, odd.rows());
    }
  }
}

}  // namespace
}  // namespace cisolve::ci
