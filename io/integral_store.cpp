#include "io/integral_store.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cisolve::io {
namespace {

using ci::pair_index;
using ci::Spin;

/// One step of the last digit of a printed number: 1e-3 for "-0.250", 1e-4 for "0.25D-02".
double printed_step(std::string_view text) {
  const std::size_t mark = text.find_first_of("eEdD");
  const std::string_view digits = text.substr(0, mark);
  int exponent = 0;
  if (mark != std::string_view::npos) {
    std::string_view power = text.substr(mark + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    std::from_chars(power.data(), power.data() + power.size(), exponent);
  }
  const std::size_t point = digits.find('.');
  const auto decimals = point == std::string_view::npos ? 0 : digits.size() - point - 1;
  return std::pow(10.0, exponent - static_cast<double>(decimals));
}

bool agree(double stored, double value, std::string_view printed) {
  const double distance = std::abs(stored - value);
  if (distance <= 1e-10 * std::max(1.0, std::abs(stored))) return true;
  if (printed.empty()) return false;
  const double step = printed_step(printed);
  return step <= 1e-6 && distance <= 1.01 * step;
}

Index bits(int orbitals, bool spin_dependent) {
  const Index pairs = Index{orbitals} * (orbitals + 1) / 2;
  const Index packed = pairs * (pairs + 1) / 2;
  return spin_dependent ? 2 * (pairs + packed) + pairs * pairs : pairs + packed;
}

}  // namespace

IntegralStore::IntegralStore(int orbitals, bool spin_dependent, const base::Backend& host)
    : integrals_(orbitals, spin_dependent, host),
      pairs_(Index{orbitals} * (orbitals + 1) / 2),
      packed_(pairs_ * (pairs_ + 1) / 2),
      seen_(host, bits(orbitals, spin_dependent) / 64 + 1, "the marks of integrals read") {
  std::ranges::fill(seen_.span(), 0);
}

/// Blocks one after the other: h_a, aa [, h_b, bb, ab].
Index IntegralStore::place_of(const NamedIntegral& e) const {
  const Index first = pair_index(e.p.orbital, e.q.orbital);
  const Index beta = integrals_.spin_dependent() ? pairs_ + packed_ : 0;
  const Index block = e.p.spin == Spin::beta ? beta : 0;
  if (!e.two_electron) return block + first;
  const Index second = pair_index(e.r.orbital, e.s.orbital);
  if (e.p.spin == e.r.spin) return block + pairs_ + pair_index(first, second);
  return 2 * beta + (e.p.spin == Spin::alpha ? first * pairs_ + second : second * pairs_ + first);
}

double IntegralStore::value_of(const NamedIntegral& e) const {
  if (!e.two_electron) return integrals_.one(e.p.spin, e.p.orbital, e.q.orbital);
  return integrals_.two(e.p.spin, e.p.orbital, e.q.orbital, e.r.spin, e.r.orbital, e.s.orbital);
}

bool IntegralStore::put(const NamedIntegral& e, double value, std::string_view printed) {
  const Index place = place_of(e);
  const std::uint64_t mark = std::uint64_t{1} << (place % 64);
  if ((seen_[place / 64] & mark) != 0) return agree(value_of(e), value, printed);
  seen_[place / 64] |= mark;
  if (e.two_electron)
    integrals_.set_two(e.p.spin, e.p.orbital, e.q.orbital, e.r.spin, e.r.orbital, e.s.orbital,
                       value);
  else
    integrals_.set_one(e.p.spin, e.p.orbital, e.q.orbital, value);
  return true;
}

bool IntegralStore::put_core(double value, std::string_view printed) {
  if (has_core_) return agree(integrals_.core_energy(), value, printed);
  has_core_ = true;
  integrals_.set_core_energy(value);
  return true;
}

}  // namespace cisolve::io
