#pragma once

#include <optional>

#include "base/host_device.hpp"
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
class SingleExcitations {
 public:
  SingleExcitations(const Space& space, Spin spin);

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
  static std::optional<ListMoves> of(const Space& space, const SingleExcitations& betas);

  std::span<const Index> offsets() const { return offsets_.span(); }  // lists x betas + 1
  std::span<const Move> all() const { return moves_.span(); }

 private:
  ListMoves(const Space& space, const SingleExcitations& betas, base::Array<Index> offsets);

  base::Array<Index> offsets_;
  base::Array<Move> moves_;
};

/// A beta string and the one that the move of an electron makes of it.
struct Exchange {
  StringNumber string;
  std::uint32_t target_and_odd;

  CISOLVE_HOST_DEVICE StringNumber target() const {
    return static_cast<StringNumber>(target_and_odd >> 1);
  }
  CISOLVE_HOST_DEVICE bool odd() const { return (target_and_odd & 1) != 0; }
};

/// The beta strings that each move of an electron can be made in, ascending, by parts of the
/// strings: for an alpha electron that goes from q to p those in which one can go from p to q.
struct ExchangeView {
  int orbitals = 0;
  Index parts = 0;
  Index strings_in_part = 0;
  const Index* offsets = nullptr;
  const Exchange* exchanges = nullptr;

  /// Where those of a move and a part begin; they end where the next ones do.
  CISOLVE_HOST_DEVICE Index begin(int from, int to, Index part) const {
    return offsets[(Index{from} * orbitals + to) * parts + part];
  }
  CISOLVE_HOST_DEVICE Index end(int from, int to, Index part) const {
    return offsets[(Index{from} * orbitals + to) * parts + part + 1];
  }
};

/// For spaces most of whose alpha strings stand beside most beta strings: there what two electrons
/// do that exchange their spins is done in strides.
class ExchangeTable {
 public:
  /// None where lists of beta strings are short beside all of them.
  static std::optional<ExchangeTable> of(const Space& space, const SingleExcitations& betas,
                                         Index strings_in_part);

  ExchangeTable to(const base::Backend& target) const;
  ExchangeView view() const {
    return {orbitals_, parts_, strings_in_part_, offsets_.data(), exchanges_.data()};
  }

 private:
  ExchangeTable(const ExchangeTable& other, const base::Backend& target);
  ExchangeTable(const Space& space, const SingleExcitations& betas, Index strings_in_part);

  int orbitals_;
  Index parts_;
  Index strings_in_part_;
  base::Array<Index> offsets_;
  base::Array<Exchange> exchanges_;
};

}  // namespace cisolve::ci
