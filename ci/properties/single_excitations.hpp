#pragma once

#include <optional>

#include "base/host_device.hpp"
#include "ci/fock/spaces/space.hpp"

namespace cisolve::ci {

/// The excitation a+_to a_from from one string of a space to another.
struct SingleExcitation {
  StringNumber target;
  std::uint8_t from;
  std::uint8_t to;
  bool odd;
  double sign() const { return odd ? -1.0 : 1.0; }
};

/// All single excitations of each string of one spin within the space, ascending by target.
class SingleExcitations {
 public:
  SingleExcitations(const Space& space, Spin spin);

  std::span<const SingleExcitation> of(Index string) const {
    return moves_.span().subspan(offsets_[string], offsets_[string + 1] - offsets_[string]);
  }

  std::span<const Index> offsets() const { return offsets_.span(); }
  std::span<const SingleExcitation> all() const { return moves_.span(); }

 private:
  base::Array<Index> offsets_;
  base::Array<SingleExcitation> moves_;
};

/// Single excitations of each beta string into each list of beta strings; `target` is the position
/// in the list.
class ListExcitations {
 public:
  /// None if lists x excitations exceed 16 per determinant, or the result twice the excitations.
  static std::optional<ListExcitations> of(const Space& space, const SingleExcitations& betas);

  std::span<const Index> offsets() const { return offsets_.span(); }  // lists x betas + 1
  std::span<const SingleExcitation> all() const { return moves_.span(); }

 private:
  ListExcitations(const Space& space, const SingleExcitations& betas, base::Array<Index> offsets);

  base::Array<Index> offsets_;
  base::Array<SingleExcitation> moves_;
};

/// A beta string and its target under an excitation.
struct SpinExchange {
  StringNumber string;
  std::uint32_t target_and_odd;

  CISOLVE_HOST_DEVICE StringNumber target() const {
    return static_cast<StringNumber>(target_and_odd >> 1);
  }
  CISOLVE_HOST_DEVICE bool odd() const { return (target_and_odd & 1) != 0; }
};

/// The beta strings that allow each excitation from -> to, ascending, by parts of the strings. Spin
/// exchange pairs alpha q -> p with beta p -> q.
struct SpinExchangeView {
  int orbitals = 0;
  Index parts = 0;
  Index strings_in_part = 0;
  const Index* offsets = nullptr;
  const SpinExchange* exchanges = nullptr;

  /// First entry of an excitation and a part.
  CISOLVE_HOST_DEVICE Index begin(int from, int to, Index part) const {
    return offsets[(Index{from} * orbitals + to) * parts + part];
  }
  CISOLVE_HOST_DEVICE Index end(int from, int to, Index part) const {
    return offsets[(Index{from} * orbitals + to) * parts + part + 1];
  }
};

/// Table for spaces in which most alpha strings go with most beta strings: S^2 then runs over
/// contiguous beta strings for each alpha excitation.
class SpinExchangeTable {
 public:
  /// None if fewer than 1/16 of all pairs of strings are determinants.
  static std::optional<SpinExchangeTable> of(const Space& space, const SingleExcitations& betas,
                                             Index strings_in_part);

  SpinExchangeTable to(const base::Backend& target) const;
  SpinExchangeView view() const {
    return {orbitals_, parts_, strings_in_part_, offsets_.data(), exchanges_.data()};
  }

 private:
  SpinExchangeTable(const SpinExchangeTable& other, const base::Backend& target);
  SpinExchangeTable(const Space& space, const SingleExcitations& betas, Index strings_in_part);

  int orbitals_;
  Index parts_;
  Index strings_in_part_;
  base::Array<Index> offsets_;
  base::Array<SpinExchange> exchanges_;
};

}  // namespace cisolve::ci
