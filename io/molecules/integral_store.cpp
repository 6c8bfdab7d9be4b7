#include "io/molecules/integral_store.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"
#include "io/files/printed_number.hpp"

namespace cisolve::io {
namespace {

using ci::pair_index;
using ci::Spin;

/// One step of the last digit of a printed number: 1e-3 for "-0.250", 1e-4 for "0.25D-02".
double printed_step(std::string_view text) {
  const auto [digits, exponent] = parts_of(text);
  const std::size_t point = digits.find('.');
  const auto decimals = point == std::string_view::npos ? 0 : digits.size() - point - 1;
  return std::pow(10.0, static_cast<double>(exponent - static_cast<Index>(decimals)));
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

constexpr std::uint8_t kAligned = 1;  // (pq\ppq)
constexpr std::uint8_t kCrossed = 2;  // (pq\pqp)

// Above this, a file would not omit one of the two orders of an exchange integral.
constexpr double kSignificant = 1e-6;

/// Disjoint sets of orbitals joined by relations.
class OrbitalSets {
 public:
  explicit OrbitalSets(int orbitals) : set_of_(orbitals) {
    std::iota(set_of_.begin(), set_of_.end(), 0);
  }
  void join(int p, int q) { std::ranges::replace(set_of_, set_of_[p], set_of_[q]); }
  bool together(int p, int q) const { return set_of_[p] == set_of_[q]; }

 private:
  std::vector<int> set_of_;
};

}  // namespace

bool only_real_orbitals_equate(const NamedIntegral& a, const NamedIntegral& b) {
  if (!a.two_electron) return false;
  const auto is = [&b](const SpinOrbital& p, const SpinOrbital& q, const SpinOrbital& r,
                       const SpinOrbital& s) {
    return b.p == p && b.q == q && b.r == r && b.s == s;
  };
  return !is(a.p, a.q, a.r, a.s) && !is(a.r, a.s, a.p, a.q) && !is(a.q, a.p, a.s, a.r) &&
         !is(a.s, a.r, a.q, a.p);
}

IntegralStore::IntegralStore(int orbitals, bool spin_dependent, const base::Backend& host)
    : integrals_(orbitals, spin_dependent, host),
      pairs_(Index{orbitals} * (orbitals + 1) / 2),
      packed_(pairs_ * (pairs_ + 1) / 2),
      seen_(host, bits(orbitals, spin_dependent) / 64 + 1, "the marks of integrals read") {
  std::ranges::fill(seen_.span(), 0);
  exchange_.fill(std::vector<std::uint8_t>(pairs_, 0));
}

/// Order of blocks: h_a, aa [, h_b, bb, ab].
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

IntegralStore::Block IntegralStore::block_of(const NamedIntegral& e) {
  const bool alpha = e.p.spin == Spin::alpha;
  if (!e.two_electron) return alpha ? alpha_one : beta_one;
  if (e.p.spin != e.r.spin) return mixed_two;
  return alpha ? alpha_two : beta_two;
}

void IntegralStore::note_exchange(const NamedIntegral& e) {
  if (!e.two_electron || e.p.spin != e.r.spin || e.p == e.q) return;
  std::uint8_t& given =
      exchange_[static_cast<std::size_t>(e.p.spin)][pair_index(e.p.orbital, e.q.orbital)];
  if (e.p == e.r && e.q == e.s) given |= kAligned;
  if (e.p == e.s && e.q == e.r) given |= kCrossed;
}

/// Detects orbitals of an angular momentum or wave vector: (pq|qp) is an exchange integral, and so
/// is (pq|pq) if both have the same momentum; otherwise (pq|pq) is 0 and omitted. Hence pairs with
/// both orders join sets of equal momentum, and if one order is missing, it is (pq|pq) of a pair in
/// different sets.
std::string IntegralStore::flaw_of_exchange(Spin spin) const {
  const auto& given = exchange_[static_cast<std::size_t>(spin)];
  const int orbitals = integrals_.orbitals();
  OrbitalSets sets(orbitals);
  bool any_both = false;
  for (int p = 0; p < orbitals; ++p)
    for (int q = 0; q < p; ++q)
      if (given[pair_index(p, q)] == (kAligned | kCrossed)) {
        sets.join(p, q);
        any_both = true;
      }
  std::array<int, 2> missing{-1, -1};
  for (int p = 0; p < orbitals; ++p)
    for (int q = 0; q < p; ++q) {
      const std::uint8_t here = given[pair_index(p, q)];
      const bool is_significant = std::abs(integrals_.two(spin, p, q, spin, p, q)) > kSignificant;
      if (!is_significant || here == 0 || here == (kAligned | kCrossed)) continue;
      if (here == kAligned || sets.together(p, q)) return {};
      missing = {p + 1, q + 1};
    }
  if (!any_both || missing[0] < 0) return {};
  const auto [p, q] = missing;
  return base::concat("the integrals belong to complex orbitals: (", p, " ", q, "|", q, " ", p,
                      ") is given, but (", p, " ", q, "|", p, " ", q,
                      "), equal to it for real orbitals, ",
                      "is not, although others are given in both orders; expected integrals over ",
                      "real orbitals");
}

std::string IntegralStore::flaw_of_blocks() const {
  const auto one_without = [](std::string_view has, std::string_view has_not) {
    return base::concat("there are non-zero ", has, " integrals, but no ", has_not,
                        "; expected both, or a restricted file");
  };
  // A block of explicit zeros counts as given.
  const auto lacks = [this](Block has, Block has_not) {
    return has_values_[has] && !is_given_[has_not];
  };
  if (lacks(alpha_one, beta_one)) return one_without("alpha one-electron", "beta ones");
  if (lacks(beta_one, alpha_one)) return one_without("beta one-electron", "alpha ones");
  if (lacks(alpha_two, beta_two)) return one_without("alpha-alpha", "beta-beta ones");
  if (lacks(beta_two, alpha_two)) return one_without("beta-beta", "alpha-alpha ones");
  if (lacks(alpha_two, mixed_two)) return one_without("alpha-alpha", "alpha-beta ones");
  return {};
}

std::string IntegralStore::flaw() const {
  std::string found = flaw_of_exchange(Spin::alpha);
  if (found.empty() && integrals_.spin_dependent()) found = flaw_of_exchange(Spin::beta);
  if (found.empty() && integrals_.spin_dependent()) found = flaw_of_blocks();
  return found;
}

/// The m of flaw_of_truncation(), or the number of orbitals if there is none.
int IntegralStore::end_of_one_electron(Spin spin) const {
  const int orbitals = integrals_.orbitals();
  const auto has_one = [&](int p, int q) {
    return is_seen({{spin, p}, {spin, q}, {spin, 0}, {spin, 0}, false});
  };
  const auto has_repulsion = [&](int p) {
    return is_seen({{spin, p}, {spin, p}, {spin, p}, {spin, p}, true});
  };
  int end = 0;
  while (end < orbitals && has_one(end, end)) ++end;
  for (int p = end; p < orbitals; ++p) {
    if (!has_repulsion(p)) return orbitals;
    for (int q = end; q <= p; ++q)
      if (has_one(p, q)) return orbitals;
  }
  return end;
}

std::string IntegralStore::flaw_of_truncation() const {
  const int orbitals = integrals_.orbitals();
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    if (spin == Spin::beta && !integrals_.spin_dependent()) break;
    const int end = end_of_one_electron(spin);
    if (end == 0 || end == orbitals) continue;  // 0: a model, or a block reported by flaw()
    const char* whose = !integrals_.spin_dependent() ? ""
                        : spin == Spin::alpha        ? "alpha "
                                                     : "beta ";
    return base::concat("the ", whose, "one-electron integrals end with orbital ", end, " of ",
                        orbitals, ", as in a truncated file: h(p,p) of later orbitals, which have ",
                        "two-electron integrals, and the core energy are missing; expected them, ",
                        "or, if the file is complete, a line '0.0 0 0 0 0' with the core energy");
  }
  return {};
}

bool IntegralStore::put(const NamedIntegral& e, double value, std::string_view printed) {
  note_exchange(e);
  has_values_[block_of(e)] |= value != 0;
  is_given_[block_of(e)] = true;
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
