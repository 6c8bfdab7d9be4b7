#pragma once

#include <optional>

#include "ci/spaces/space.hpp"

namespace cisolve::ci {

/// a+_to a_from from one string of a space to another one.
struct Move {
  StringNumber target;
  std::uint8_t from;
  std::uint8_t to;
  bool odd;
  double sign() const { return odd ? -1.0 : 1.0; }
};

/// For each string of one spin of a space all moves of one electron that end at a string of the
/// space, by target.
class MoveTable {
 public:
  MoveTable(const Space& space, Spin spin);

  std::span<const Move> of(Index string) const {
    return moves_.span().subspan(offsets_[string], offsets_[string + 1] - offsets_[string]);
  }

  std::span<const Index> offsets() const { return offsets_.span(); }
  std::span<const Move> all() const { return moves_.span(); }

 private:
  base::Array<Index> offsets_;
  base::Array<Move> moves_;
};

/// The moves of one beta electron that end within a list of beta strings, for each list and string;
/// the target is the place in that list.
class ListMoves {
 public:
  /// None where lists are so many that it would take more than a few numbers for each determinant
  /// to find them, or more than twice the moves to hold them.
  static std::optional<ListMoves> of(const Space& space, const MoveTable& betas);

  std::span<const Index> offsets() const { return offsets_.span(); }  // lists x betas + 1
  std::span<const Move> all() const { return moves_.span(); }

 private:
  ListMoves(const Space& space, const MoveTable& betas, base::Array<Index> offsets);

  base::Array<Index> offsets_;
  base::Array<Move> moves_;
};

}  // namespace cisolve::ci
