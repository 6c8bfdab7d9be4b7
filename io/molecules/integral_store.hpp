#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::io {

using base::Index;

/// Threshold above which an integral between two spins is not a rounding error.
inline constexpr double kSpinForbidden = 1e-10;

/// A spin orbital; orbitals are numbered from 0.
struct SpinOrbital {
  ci::Spin spin;
  int orbital;
  bool operator==(const SpinOrbital&) const = default;
};

/// An integral in the numbering of its dialect. A one-electron integral has no r and s.
struct NamedIntegral {
  SpinOrbital p, q, r, s;
  bool two_electron;
};

/// Fills integrals from elements in any order, possibly repeated, and marks those given. Assumes
/// the eightfold symmetry of real orbitals.
class IntegralStore {
 public:
  IntegralStore(int orbitals, bool spin_dependent, const base::Backend& host);

  /// Returns false and stores nothing if the element was given before with a value that differs by
  /// more than 1e-10 of max(1, |value|) and, if `printed` is the value's text with a last digit
  /// finer than 1e-6, by more than one step of that digit.
  bool put(const NamedIntegral& element, double value, std::string_view printed = {});
  bool put_core(double value, std::string_view printed = {});

  /// True if both denote the same element.
  bool same_element(const NamedIntegral& a, const NamedIntegral& b) const {
    return place_of(a) == place_of(b);
  }
  bool has_core() const { return has_core_; }

  /// Inconsistency of all elements together: integrals of complex orbitals, or of one spin only.
  /// "what is wrong; what was expected", empty if there is none.
  std::string flaw() const;

  /// Truncation check of one-electron integrals: the diagonal is given up to an orbital m and not
  /// above, and no h_pq between two orbitals above m is given although all these have (pp|pp).
  /// Explicit zeros count as given. "what is wrong; what was expected", empty if complete.
  std::string flaw_of_truncation() const;
  ci::Integrals take() { return std::move(integrals_); }

 private:
  /// Blocks of elements that a file may omit as a whole.
  enum Block { alpha_one, beta_one, alpha_two, beta_two, mixed_two };
  static Block block_of(const NamedIntegral& element);
  void note_exchange(const NamedIntegral& element);
  std::string flaw_of_exchange(ci::Spin spin) const;
  std::string flaw_of_blocks() const;
  int end_of_one_electron(ci::Spin spin) const;
  bool is_seen(const NamedIntegral& element) const {
    const Index place = place_of(element);
    return (seen_[place / 64] >> (place % 64) & 1) != 0;
  }
  Index place_of(const NamedIntegral& element) const;
  double value_of(const NamedIntegral& element) const;

  ci::Integrals integrals_;
  Index pairs_;
  Index packed_;  // size of a two-electron block of equal spins
  base::Array<std::uint64_t> seen_;
  std::array<bool, 5> has_values_{};  // for each block, whether a value is not zero
  std::array<bool, 5> is_given_{};    // for each block, whether a value was given
  // For each pair p > q: bit 0 if (pq|pq) was given, bit 1 if (pq|qp).
  std::array<std::vector<std::uint8_t>, 2> exchange_;
  bool has_core_ = false;
};

/// True if two elements are equal for real orbitals only: complex ones have (pq|rs) = (rs|pq) =
/// (qp|sr), but not (qp|rs).
bool only_real_orbitals_equate(const NamedIntegral& a, const NamedIntegral& b);

}  // namespace cisolve::io
