#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "ci/hamiltonian/rows/singles_by_class.hpp"

namespace cisolve::ci {

/// The determinants of a space grouped by beta string. If alpha strings have different lists of
/// beta strings, few of the alpha strings connected to a row's occur with the row's beta string;
/// the group of that beta string lists all alpha strings that do.
class DeterminantsByBeta {
 public:
  struct Member {
    StringNumber alpha;
    StringNumber place;  // position of the beta string in this alpha string's list
  };
  /// A single excitation of a row's beta string.
  struct Move {
    Column row;
    SignedPair pair;
    Column next;  // next one with the same target; -1: none
  };
  /// Workspace of one thread. The arrays are all -1 before and after use.
  struct Workspace {
    base::Array<Column> connection_of;   // [alpha string]
    base::Array<StringNumber> place_of;  // [beta string]
    base::Array<Column> first_move_to;   // [beta string]
    std::vector<Move> moves = {};
    std::vector<StringNumber> targets = {};  // distinct target strings
    std::vector<const Connection*> singles = {};
    std::vector<std::uint64_t> words = {};  // bits of a list's strings
  };

  /// Null unless this is clearly faster than finding rows one by one, or if memory is short.
  static std::unique_ptr<const DeterminantsByBeta> create_if_worthwhile(
      const Space& space, const ConnectionTable& alpha, const ConnectionTable& beta,
      const MixedIntegrals& mixed);
  /// Alpha strings ascending.
  std::span<const Member> of(Index beta) const {
    return members_.span().subspan(offsets_[beta], offsets_[beta + 1] - offsets_[beta]);
  }
  /// The class of an alpha orbital pair pq: all pairs whose integrals (pq|rs) are non-zero for the
  /// same beta pairs rs.
  Column class_of(Index alpha_pair) const { return class_of_[alpha_pair]; }
  /// The single excitations of a beta string whose orbital pairs have non-zero integrals with the
  /// alpha pairs of a class.
  std::span<const Single> moves(Index beta, Column number) const {
    const Index list = beta * classes_ + number;
    return moves_.span().subspan(first_move_[list], first_move_[list + 1] - first_move_[list]);
  }

  /// Estimated number of strings looked at for all rows.
  double looks() const { return looks_; }

  std::unique_ptr<Workspace> take_workspace() const;
  void return_workspace(std::unique_ptr<Workspace> workspace) const;

 private:
  DeterminantsByBeta(const Space& space, std::span<const Index> sizes);
  void fill_moves(const SinglesByClass& products);

  Index alphas_;
  double looks_ = 0;
  base::Array<Index> offsets_;  // betas + 1
  base::Array<Member> members_;
  Index classes_ = 0;
  base::Array<Column> class_of_;
  base::Array<Index> first_move_;  // [beta][class], and the end
  base::Array<Single> moves_;
  mutable std::mutex mutex_;
  mutable std::size_t made_ = 0;
  mutable std::vector<std::unique_ptr<Workspace>> spare_;
};

}  // namespace cisolve::ci
