#pragma once

#include <span>
#include <vector>

#include "base/ranks/vector_exchange.hpp"
#include "ci/flip/spin_flip.hpp"
#include "ci/spaces/dealt_strings.hpp"

namespace cisolve::ci {

/// The alpha string that has a row; `first_row` is that of each.
Index string_of_row(std::span<const Index> first_row, Index row);

/// Of strings that stand in the columns of a block.
Index longest_list(const SpinFlipView& view);

/// Which rank has which alpha strings of a space that the exchange of spins leaves as it is, and
/// what ranks tell each other so that each can make the halves of its own strings: of an image, the
/// rows of strings before those, in their columns.
class FlipShares {
 public:
  /// Neighbours of a list, numbered within it, that one rank has.
  struct Run {
    int rank;
    Index begin;
    Index end;
    int turn = 0;  // in which their rows of an image are told

    Index count() const { return end - begin; }
  };
  /// What comes from another rank: its rows of some strings in the columns of own ones, a row after
  /// the other.
  struct Way {
    int block;
    Run rows;
    Run columns;
    Index at;  // in all that comes
  };
  /// Neighbouring numbers of an image, and where they stand in what is sent.
  struct Sent {
    Index from;
    Index to;
    Index count;
  };

  /// What is told at once: the first turn is on its way while rows of later ones are worked on.
  /// Turns stand one behind the other in the room for what is exchanged, first all that is sent.
  struct Turn {
    std::vector<Index> sent;  // numbers, to each rank
    std::vector<Index> received;
    Index sent_at = 0;
    Index received_at = 0;  // behind all that is sent
    Index first = 0;        // of what is sent
    Index end = 0;
  };
  /// Two turns are taken only where what is staged gives the room for both.
  enum class Telling { at_once, by_turns };

  /// All strings in one process.
  explicit FlipShares(const SpinFlip& flip);
  /// `first_row` is that of each alpha string. The flip lies in the memory of the host.
  FlipShares(const SpinFlip& flip, const DealtStrings& strings, std::span<const Index> first_row,
             int rank, Telling telling = Telling::at_once);

  int rank() const { return rank_; }
  int ranks() const { return layout_.ranks(); }
  /// Of whole vectors.
  const base::Layout& layout() const { return layout_; }
  /// Where among the rows of this rank those of each of the flip's strings begin; -1 of others'.
  std::span<const Index> places() const { return places_; }

  // By ascending strings: those of a block, and those that stand in its columns.
  std::span<const Run> alphas(int block) const { return lists_[block].alphas; }
  std::span<const Run> betas(int block) const { return lists_[block].betas; }

  std::span<const Way> ways() const { return ways_; }
  std::span<const Turn> turns() const { return turns_; }
  /// Of all turns, one after the other.
  std::span<const Sent> sent() const { return sent_; }
  /// Alpha strings of this rank whose rows of an image are told in the second turn.
  std::span<const Index> late() const { return late_; }
  /// Tells what stands in a room for what is exchanged as what is sent in a turn; all together.
  /// What comes stands behind all that is sent.
  void tell(const base::VectorExchange& vectors, const Turn& turn, double* room) const;
  /// Numbers that are sent and received.
  Index exchanged() const { return sent_numbers() + received_numbers(); }
  Index sent_numbers() const;
  Index received_numbers() const;
  /// Of this rank, of both parities together.
  Index halves() const { return halves_; }
  /// Whether there is room for what is exchanged where others' halves are staged, so that whole
  /// vectors keep theirs: wherever there are turns.
  bool is_exchanged_beside() const { return exchanged() <= staged_; }
  /// Of whole vectors of so many rows, where no string has more.
  static Index staged_of(Index rows);
  /// Numbers of other ranks that there is room for where whole vectors are made of halves: beside
  /// an image, and in one. None in one process.
  Index staged() const { return staged_; }
  Index staged_in_image() const { return staged_in_image_; }

 private:
  struct Lists {
    std::vector<Run> alphas;
    std::vector<Run> betas;
  };
  struct Pair {
    int block;
    const Run& rows;
    const Run& columns;
    Index numbers() const { return rows.count() * columns.count(); }
  };

  static std::vector<Run> runs_of(std::span<const int> ranks_of_strings);
  void share_out(const SpinFlipView& view, std::span<const int> rank_of,
                 std::span<const double> work = {});
  bool has_room_for_turns(const SpinFlipView& view) const;
  std::vector<Run> by_turns(std::span<const Run> runs, std::span<const double> work) const;
  template <class Visit>
  void for_each_pair(const SpinFlipView& view, Visit visit) const;
  void place_ways(const SpinFlipView& view);
  void place_turn(const SpinFlipView& view, int number, Turn& turn);
  void send(const SpinFlipView& view, const Pair& pair, Index at);

  int rank_ = 0;
  base::Layout layout_;
  std::vector<Index> places_;
  std::vector<Lists> lists_;  // of each block
  std::vector<Way> ways_;
  std::vector<Sent> sent_;
  std::vector<Turn> turns_;
  std::vector<Index> late_;
  Index halves_ = 0;
  Index staged_ = 0;
  Index staged_in_image_ = 0;
};

}  // namespace cisolve::ci
