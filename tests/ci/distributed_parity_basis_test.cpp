#include "tests/support/distributed_parity_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "ci/hamiltonian/parity/distributed_parity_basis.hpp"
#include "tests/support/thread_runner.hpp"

namespace cisolve::ci {
namespace {

/// Strings are distributed so that each rank has several runs of each list.
struct Shared {
  Shared(const AlphaBetaSwap& swap, int ranks, SwapPartition::Schedule schedule) {
    const AlphaBetaSwapView view = swap.view();
    first_row.assign(view.rows, view.rows + view.strings);
    std::ranges::sort(first_row);
    first_row.push_back(SwapPartition(swap).layout().rows());
    for (Index i = 0; i < view.strings; ++i) work.push_back(std::pow(i + 1, 3));
    const StringPartition strings(first_row, work, ranks);
    for (int r = 0; r < ranks; ++r) all.emplace_back(swap, strings, first_row, r, schedule);
  }
  double work_of(const AlphaBetaSwapView& view, Index i) const {
    return work[string_of_row(first_row, view.rows[i])];
  }

  std::vector<Index> first_row;
  std::vector<double> work;  // work before each string, increasing
  std::vector<SwapPartition> all;
};

Index sum_of(std::span<const Index> counts) {
  return std::accumulate(counts.begin(), counts.end(), Index{0});
}

constexpr std::array kTellings{SwapPartition::Schedule::at_once,
                               SwapPartition::Schedule::in_phases};

void count_halves(const ParityPatches& patches, const ParityBasis& parity_basis,
                  std::vector<int>& times_found) {
  for (const ParityPatch& patch : patches.all)
    for (Index i = patch.i; i < patch.i_end; ++i)
      for (Index j = patch.j; j < patch.j_end; ++j) {
        const AlphaBetaSwapView::Block& b = parity_basis.view().swaps.blocks[patch.block];
        const bool is_square = b.alphas == b.betas;
        if (is_square && (j > i || (j == i && !parity_basis.view().is_even))) continue;
        ++times_found[parity_basis.view().at(patch.block, i, j)];
      }
}

/// Each coefficient is contracted once, by the rank that has it, and sent to each other rank once.
TEST(DistributedParityBasis, CoverAllParityFunctionsOnceOnEveryRank) {
  for (const NamedHamiltonian& named : test::flipped_kinds()) {
    const auto product = FactorisedHamiltonian(named.rows()).product(one_thread());
    const AlphaBetaSwap& swap = *flips_of(*product).alpha_beta_swap();
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const ParityBasis parity_basis(swap, parity);
      for (const int ranks : {1, 2, 3, 7}) {
        SCOPED_TRACE(base::concat(named.name, " on ", ranks));
        const Shared shared(swap, ranks, SwapPartition::Schedule::at_once);
        for (const SwapPartition& mine : shared.all) {
          const DistributedParityBasis distributed(parity_basis, mine);
          EXPECT_EQ(distributed.layout().rows(), parity_basis.rows());
          for (const StagedIn in : {StagedIn::buffer, StagedIn::image}) {
            const Index room = in == StagedIn::buffer ? mine.staged() : mine.staged_in_image();
            std::vector<int> times_found(parity_basis.rows());
            for (const DistributedParityBasis::Round& round : distributed.rounds(in)) {
              EXPECT_LE(round.layout.rows() - round.layout.count(mine.rank()), room);
              EXPECT_TRUE(ranks > 1 || round.of_others.all.empty());
              count_halves(round.own, parity_basis, times_found);
              count_halves(round.of_others, parity_basis, times_found);
            }
            EXPECT_EQ(std::ranges::count(times_found, 1), std::ssize(times_found));
          }
        }
      }
    }
  }
}

/// Senders and receivers agree, no rank sends to itself, and each element sent is contracted by its
/// receiver.
TEST(SwapPartition, SendsEachElementToTheRankThatContractsIt) {
  for (const NamedHamiltonian& named : test::flipped_kinds()) {
    const auto product = FactorisedHamiltonian(named.rows()).product(one_thread());
    const AlphaBetaSwap& swap = *flips_of(*product).alpha_beta_swap();
    const ParityBasis even(swap, Parity::even);
    const ParityBasis odd(swap, Parity::odd);
    for (const int ranks : {1, 2, 3, 7}) {
      SCOPED_TRACE(base::concat(named.name, " on ", ranks));
      const Shared shared(swap, ranks, SwapPartition::Schedule::at_once);
      Index folded_here = 0;
      Index sent = 0;
      for (int r = 0; r < ranks; ++r) {
        const SwapPartition& mine = shared.all[r];
        const SwapPartition::Phase& phase = mine.phases().front();
        EXPECT_EQ(std::ssize(mine.phases()), 1);
        EXPECT_EQ(phase.sent[r], 0);
        for (int s = 0; s < ranks; ++s)
          EXPECT_EQ(phase.sent[s], shared.all[s].phases().front().received[r]);
        Index of_rows = 0;
        for (const SwapPartition::SentElements& row : mine.sent()) of_rows += row.count;
        EXPECT_EQ(of_rows, mine.sent_numbers());
        sent += of_rows;
        EXPECT_EQ(mine.coefficients(), DistributedParityBasis(even, mine).layout().count(r) +
                                           DistributedParityBasis(odd, mine).layout().count(r));
        const DistributedParityBasis distributed(odd, mine);
        for (const ParityPatch& patch : distributed.contractions().all) {
          const AlphaBetaSwapView::Block& b = swap.view().blocks[patch.block];
          for (Index i = patch.i; i < patch.i_end && patch.is_here; ++i)
            folded_here +=
                (b.alphas == b.betas ? std::clamp(i, patch.j, patch.j_end) : patch.j_end) - patch.j;
        }
      }
      EXPECT_EQ(folded_here + sent, odd.rows());
    }
  }
}

/// Exchange workspaces of all ranks after all have sent; row numbers stand for elements.
std::vector<std::vector<Index>> found_rows(const Shared& shared) {
  const auto ranks = static_cast<int>(std::ssize(shared.all));
  std::vector<std::vector<Index>> capacities;
  for (const SwapPartition& mine : shared.all) {
    std::vector<Index> image(mine.layout().count(mine.rank()));
    for (const base::Layout::Piece& piece : mine.layout().pieces_of(mine.rank()))
      for (Index k = 0; k < piece.count; ++k) image[piece.at + k] = piece.first + k;
    capacities.emplace_back(mine.exchanged(), -1);
    for (const SwapPartition::SentElements& row : mine.sent())
      for (Index k = 0; k < row.count; ++k) capacities.back()[row.to + k] = image[row.from + k];
  }
  for (int r = 0; r < ranks; ++r)
    for (std::size_t t = 0; t < shared.all[r].phases().size(); ++t) {
      const SwapPartition::Phase& phase = shared.all[r].phases()[t];
      Index from = phase.sent_at;
      for (int s = 0; s < ranks; from += phase.sent[s++]) {
        const SwapPartition::Phase& counterpart = shared.all[s].phases()[t];
        EXPECT_EQ(counterpart.received[r], phase.sent[s]);
        const Index to = shared.all[s].sent_numbers() + counterpart.received_at +
                         sum_of(std::span(counterpart.received).first(r));
        std::copy_n(capacities[r].begin() + from, phase.sent[s], capacities[s].begin() + to);
      }
    }
  return capacities;
}

/// In any schedule a rank contracts the elements of the expected rows.
TEST(SwapPartition, FetchesTheSwappedElementsThatAreContracted) {
  for (const NamedHamiltonian& named : test::flipped_kinds()) {
    const auto product = FactorisedHamiltonian(named.rows()).product(one_thread());
    const AlphaBetaSwap& swap = *flips_of(*product).alpha_beta_swap();
    const AlphaBetaSwapView view = swap.view();
    const ParityBasis parity_basis(swap, Parity::even);
    for (const int ranks : {2, 3, 7})
      for (const SwapPartition::Schedule schedule : kTellings) {
        SCOPED_TRACE(base::concat(named.name, " on ", ranks));
        const Shared shared(swap, ranks, schedule);
        const std::vector<std::vector<Index>> capacities = found_rows(shared);
        for (const SwapPartition& mine : shared.all) {
          const DistributedParityBasis distributed(parity_basis, mine);
          const Index* received = capacities[mine.rank()].data() + mine.sent_numbers();
          for (const ParityPatch& patch : distributed.contractions().all)
            for (Index tile = 0; !patch.is_here && tile < patch.tiles(); ++tile) {
              const AlphaBetaSwapView::Piece piece =
                  patch.tile(view, view.rows, patch.first_tile + tile);
              for (int k = 0; k < piece.height; ++k)
                for (int l = 0; l < piece.width && ParityBasisView::has(piece, k, l); ++l)
                  ASSERT_EQ(received[patch.received_at(piece, k, l)], piece.swapped(k, l));
            }
        }
      }
  }
}

/// In a list the late strings of a rank precede its others, and have as much of its work as
/// allowed. Returns whether there are any.
bool expect_first_ones_late(const SwapPartition& mine, const AlphaBetaSwapView& view, int block,
                            int rank, const Shared& shared) {
  double all = 0;
  double late = 0;
  double first_early = 0;
  for (const SwapPartition::Run& run : mine.betas(block))
    for (Index i = run.begin; i < run.end && run.rank == rank; ++i) {
      const double work = shared.work_of(view, view.blocks[block].betas + i);
      EXPECT_TRUE(run.phase == 0 || first_early == 0) << i << " of rank " << rank;
      if (run.phase > 0) late += work;
      if (run.phase == 0 && first_early == 0) first_early = work;
      all += work;
    }
  EXPECT_LE(16 * late, all * (1 + 1e-12));
  EXPECT_TRUE(all == 0 || 16 * (late + first_early) > all * (1 - 1e-12));
  return late > 0;
}

/// In each list the strings with the least work are sent in the second phase, and no others.
TEST(SwapPartition, SendsTheFirstStringsInTheSecondPhase) {
  bool are_told_late = false;
  for (const NamedHamiltonian& named : test::flipped_kinds()) {
    const auto product = FactorisedHamiltonian(named.rows()).product(one_thread());
    const AlphaBetaSwap& swap = *flips_of(*product).alpha_beta_swap();
    for (const int ranks : {1, 2, 3, 7}) {
      SCOPED_TRACE(base::concat(named.name, " on ", ranks));
      const Shared at_once(swap, ranks, SwapPartition::Schedule::at_once);
      const Shared shared(swap, ranks, SwapPartition::Schedule::in_phases);
      Index late = 0;
      for (const SwapPartition& mine : shared.all) {
        late += std::ssize(mine.late());
        const SwapPartition& whole = at_once.all[mine.rank()];
        EXPECT_TRUE(whole.late().empty());
        EXPECT_EQ(whole.sent_numbers(), mine.sent_numbers());
        EXPECT_EQ(whole.received_numbers(), mine.received_numbers());
        EXPECT_LE(mine.exchanged(), mine.staged());
        std::map<Index, bool> is_late;  // rows of an image, from the first of a string on
        for (Index i = 0; i < swap.view().strings; ++i)
          if (mine.places()[i] >= 0)
            is_late[mine.places()[i]] = std::ranges::count(
                mine.late(), string_of_row(shared.first_row, swap.view().rows[i]));
        for (const SwapPartition::Phase& phase : mine.phases())
          for (Index n = phase.first; n < phase.end; ++n)
            EXPECT_EQ(std::prev(is_late.upper_bound(mine.sent()[n].from))->second,
                      &phase != &mine.phases().front());
        for (int block = 0; ranks > 1 && block < swap.view().count; ++block)
          for (int r = 0; r < ranks; ++r)
            are_told_late |= expect_first_ones_late(mine, swap.view(), block, r, shared);
        EXPECT_EQ(mine.phases().front().first, 0);
        EXPECT_EQ(mine.phases().back().end, std::ssize(mine.sent()));
      }
      const bool has_long_lists = longest_list(swap.view()) >= 16 * 2 * ranks;
      EXPECT_TRUE(ranks > 1 || late == 0);
      EXPECT_TRUE(ranks == 1 || !has_long_lists || late > 0);
    }
  }
  EXPECT_TRUE(are_told_late) << "or all lists are too short";
}

/// The swap of one list of `strings` strings without connections.
AlphaBetaSwap flip_of_list(Index strings) {
  const std::vector<Index> offsets(strings + 1);
  std::vector<Index> first_row;
  std::vector<Column> members;
  for (Index i = 0; i <= strings; ++i) first_row.push_back(i * strings);
  for (Index i = 0; i < strings; ++i) members.push_back(static_cast<Column>(i));
  const std::vector<Column> list_of(strings);
  const std::array<Index, 2> list_offsets{0, strings};
  RowTablesView tables{};
  tables.rows = strings * strings;
  tables.alphas = tables.betas = strings;
  tables.first_row = first_row.data();
  tables.list_of = list_of.data();
  tables.list_offsets = list_offsets.data();
  tables.members = members.data();
  tables.alpha.offsets = tables.beta.offsets = offsets.data();
  return *AlphaBetaSwap::of(tables, one_thread());
}

/// The exchange of larger vectors overwrites the vector, which strings of the second phase still
/// need.
TEST(SwapPartition, UsesOnePhaseIfTwoDoNotFit) {
  for (const auto& [strings, phases] : {std::pair{16'000, 2}, {17'000, 1}}) {
    const AlphaBetaSwap swap = flip_of_list(strings);
    const Shared shared(swap, 2, SwapPartition::Schedule::in_phases);
    for (const SwapPartition& mine : shared.all) {
      EXPECT_EQ(mine.exchanged() <= mine.staged(), phases == 2) << strings;
      EXPECT_EQ(std::ssize(mine.phases()), phases);
      EXPECT_EQ(mine.late().empty(), phases == 1);
    }
  }
}

}  // namespace
}  // namespace cisolve::ci
