#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "ci/integrals.hpp"

namespace cisolve::io {

using base::Index;

/// Above this, an integral between two spins is no rounding error.
inline constexpr double kSpinForbidden = 1e-10;

/// One orbital of one spin, from 0.
struct SpinOrbital {
  ci::Spin spin;
  int orbital;
};

/// An integral of a file, as its dialect names it. A one-electron integral leaves r and s out.
struct NamedIntegral {
  SpinOrbital p, q, r, s;
  bool two_electron;
};

/// Fills integrals from elements that come in any order and may come again, and remembers which
/// have come.
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
  ci::Integrals take() { return std::move(integrals_); }

 private:
  Index place_of(const NamedIntegral& element) const;
  double value_of(const NamedIntegral& element) const;

  ci::Integrals integrals_;
  Index pairs_;
  Index packed_;  // places of a two-electron block of equal spins
  base::Array<std::uint64_t> seen_;
  bool has_core_ = false;
};

}  // namespace cisolve::io
