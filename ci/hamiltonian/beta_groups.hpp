#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "ci/hamiltonian/product_lists.hpp"

namespace cisolve::ci {

/// The determinants of a space by their beta strings. Where alpha strings have lists of their own,
/// most that one is connected with lack the beta string at hand: its group tells those that do not.
class BetaGroups {
 public:
  struct Member {
    StringNumber alpha;
    StringNumber place;  // of the beta string in the list of this alpha string
  };
  /// A move of an electron of a row's beta string.
  struct Move {
    Column row;
    SignedPair pair;
    Column next;  // to the same string; -1: none
  };
  /// What one thread notes while it walks, and leaves as it was: -1 everywhere; and room that the
  /// next has not to make again.
  struct Notes {
    base::Array<Column> connection_of;   // of alpha strings
    base::Array<StringNumber> place_of;  // of beta strings
    base::Array<Column> first_move_to;   // beta strings
    std::vector<Move> moves = {};
    std::vector<StringNumber> targets = {};  // of moves, each once
    std::vector<const Connection*> singles = {};
    std::vector<std::uint64_t> words = {};  // of a list's strings
  };

  /// Null where rows are as well found one after the other, by what their strings are connected
  /// with.
  static std::unique_ptr<const BetaGroups> where_they_pay(const Space& space,
                                                          const ConnectionTable& alpha,
                                                          const ConnectionTable& beta,
                                                          const MixedIntegrals& mixed);
  /// Alpha strings ascending.
  std::span<const Member> of(Index beta) const {
    return members_.span().subspan(offsets_[beta], offsets_[beta + 1] - offsets_[beta]);
  }
  /// Alpha pairs that have integrals with the same beta pairs are a class.
  Column class_of(Index alpha_pair) const { return class_of_[alpha_pair]; }
  /// The singles of a beta string that have integrals with those of a class.
  std::span<const Single> moves(Index beta, Column number) const {
    const Index list = beta * classes_ + number;
    return moves_.span().subspan(first_move_[list], first_move_[list + 1] - first_move_[list]);
  }

  /// At strings, along all rows, about.
  double looks() const { return looks_; }

  std::unique_ptr<Notes> take_notes() const;
  void give_back(std::unique_ptr<Notes> notes) const;

 private:
  BetaGroups(const Space& space, std::span<const Index> sizes);
  void fill_moves(const ProductLists& products);

  Index alphas_;
  double looks_ = 0;
  base::Array<Index> offsets_;  // betas + 1
  base::Array<Member> members_;
  Index classes_ = 0;
  base::Array<Column> class_of_;
  base::Array<Index> first_move_;  // [beta][class] and the end
  base::Array<Single> moves_;
  mutable std::mutex mutex_;
  mutable std::size_t made_ = 0;
  mutable std::vector<std::unique_ptr<Notes>> spare_;
};

}  // namespace cisolve::ci
