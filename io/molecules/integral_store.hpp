#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/integrals/integrals.hpp"

namespace cisolve::io {

using base::Index;

/// Above this, an integral between two spins is no rounding error.
inline constexpr double kSpinForbidden = 1e-10;

/// One orbital of one spin, from 0.
struct SpinOrbital {
  ci::Spin spin;
  int orbital;
  bool operator==(const SpinOrbital&) const = default;
};

/// An integral of a file, as its dialect names it. A one-electron integral leaves r and s out.
struct NamedIntegral {
  SpinOrbital p, q, r, s;
  bool two_electron;
};

/// Fills integrals from elements that come in any order and may come again, and remembers which
/// have come. They are taken for those of real orbitals, with all the symmetry of these.
class IntegralStore {
 public:
  IntegralStore(int orbitals, bool spin_dependent, const base::Backend& host);

  /// False, and nothing is stored, where the element has come before with a value that differs by
  /// more than 1e-10 of max(1, |value|) and, where `printed` is the value's text, by more than one
  /// step of its last digit, if that is finer than 1e-6.
  bool put(const NamedIntegral& element, double value, std::string_view printed = {});
  bool put_core(double value, std::string_view printed = {});

  /// Whether both name the same element.
  bool same_element(const NamedIntegral& a, const NamedIntegral& b) const {
    return place_of(a) == place_of(b);
  }
  bool has_core() const { return has_core_; }

  /// What only all elements together show: integrals of complex orbitals, or those of one spin
  /// without those of the other. "what is wrong; what was expected", empty where nothing is.
  std::string flaw() const;

  /// Whether the one-electron integrals stop as in a file that was cut: those of the diagonal are
  /// given up to an orbital m and none of them above, nor any h_pq between two orbitals above,
  /// though these have two-electron integrals (pp|pp). Zeros that are given count. "what is wrong;
  /// what was expected", empty if they do not.
  std::string flaw_of_cut() const;
  ci::Integrals take() { return std::move(integrals_); }

 private:
  /// The blocks of elements that a file may leave out as a whole.
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
  Index packed_;  // places of a two-electron block of equal spins
  base::Array<std::uint64_t> seen_;
  std::array<bool, 5> has_values_{};  // by block: others than 0
  std::array<bool, 5> is_given_{};    // by block, with zeros
  // Of each pair p > q: 1 where (pq|pq) was given, 2 where (pq|qp), 3 where both.
  std::array<std::vector<std::uint8_t>, 2> exchange_;
  bool has_core_ = false;
};

/// Whether two elements of one place are told apart by real orbitals alone: complex ones have
/// (pq|rs) = (rs|pq) = (qp|sr), but not (qp|rs).
bool only_real_orbitals_equate(const NamedIntegral& a, const NamedIntegral& b);

}  // namespace cisolve::io
