#include "job/states/orbital_match.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "base/small_matrix.hpp"
#include "base/text.hpp"

namespace cisolve::job {
namespace {

using base::SmallMatrix;

constexpr double kClear = 4;       // an order or sign is excluded at this multiple of the misfit
constexpr double kExact = 1e-8;    // misfit in Hartree squared that rounding of files explains
constexpr double kReliable = 0.7;  // correlation of integrals that determines a sign
constexpr double kNegligible = 1e-12;    // of their squares
constexpr auto kSpin = ci::Spin::alpha;  // orbitals are restricted

double two(const ci::Integrals& v, int p, int q, int r, int s) {
  return v.two(kSpin, p, q, kSpin, r, s);
}

/// h_pq + sum_r n_r [(pq|rr) - (pr|qr) / 2]
SmallMatrix mean_field(const ci::Integrals& v, const std::vector<double>& occupations) {
  const int n = v.orbitals();
  SmallMatrix f(n, n);
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) {
      f(p, q) = v.one(kSpin, p, q);
      for (int r = 0; r < n; ++r)
        f(p, q) += occupations[r] * (two(v, p, q, r, r) - 0.5 * two(v, p, r, q, r));
    }
  return f;
}

/// Integrals that do not depend on the signs of orbitals.
struct Unsigned {
  Unsigned(const ci::Integrals& v, const std::vector<double>& occupations)
      : field(mean_field(v, occupations)),
        coulomb(v.orbitals(), v.orbitals()),
        exchange(v.orbitals(), v.orbitals()) {
    for (int p = 0; p < v.orbitals(); ++p)
      for (int q = 0; q < v.orbitals(); ++q) {
        coulomb(p, q) = two(v, p, p, q, q);
        exchange(p, q) = two(v, p, q, p, q);
        if (p != q) field(p, q) = std::abs(field(p, q));
      }
  }
  SmallMatrix field;
  SmallMatrix coulomb;
  SmallMatrix exchange;
};

double square(double x) { return x * x; }

class OrderSearch {
 public:
  OrderSearch(const ci::Integrals& own_integrals, const ci::Integrals& earlier_integrals,
              const std::vector<double>& occupations)
      : n_(own_integrals.orbitals()),
        occupations_(occupations),
        integrals_(earlier_integrals),
        own_(own_integrals, occupations),
        earlier_(earlier_integrals, occupations) {}

  struct Found {
    std::vector<int> to;
    double misfit;
  };

  /// The nearest order found by exchanges from the given one and from that of the self-repulsions.
  Found nearest() {
    std::vector<int> same(n_);
    std::iota(same.begin(), same.end(), 0);
    Found best = descend(same, {});
    Found other = descend(by_repulsion(), {});
    return other.misfit < best.misfit ? other : best;
  }

  /// The nearest order with p and q exchanged.
  Found with_exchange(std::vector<int> to, int p, int q) {
    std::swap(to[p], to[q]);
    return descend(std::move(to), {p, q});
  }

 private:
  std::vector<int> by_repulsion() const {
    const auto sorted = [this](const Unsigned& of) {
      std::vector<int> order(n_);
      std::iota(order.begin(), order.end(), 0);
      std::ranges::sort(order, {}, [&](int p) { return of.coulomb(p, p); });
      return order;
    };
    const std::vector<int> from = sorted(own_);
    const std::vector<int> into = sorted(earlier_);
    std::vector<int> to(n_);
    for (int k = 0; k < n_; ++k) to[from[k]] = into[k];
    return to;
  }

  void take_occupations(const std::vector<int>& to) {
    std::vector<double> moved(n_);
    for (int p = 0; p < n_; ++p) moved[to[p]] = occupations_[p];
    earlier_ = Unsigned(integrals_, moved);
  }

  double of_pair(int p, int q, int a, int b) const {
    return square(own_.field(p, q) - earlier_.field(a, b)) +
           square(own_.coulomb(p, q) - earlier_.coulomb(a, b)) +
           square(own_.exchange(p, q) - earlier_.exchange(a, b));
  }

  double misfit(const std::vector<int>& to) const {
    double sum = 0;
    for (int p = 0; p < n_; ++p)
      for (int q = 0; q < n_; ++q) sum += of_pair(p, q, to[p], to[q]);
    return sum;
  }

  /// Terms of the misfit that an exchange of p and q changes.
  double part(const std::vector<int>& to, int p, int q) const {
    double sum =
        of_pair(p, p, to[p], to[p]) + of_pair(q, q, to[q], to[q]) + 2 * of_pair(p, q, to[p], to[q]);
    for (int r = 0; r < n_; ++r)
      if (r != p && r != q) sum += 2 * (of_pair(p, r, to[p], to[r]) + of_pair(q, r, to[q], to[r]));
    return sum;
  }

  /// Repeats the exchange that reduces the misfit most; the kept orbitals stay.
  Found descend(std::vector<int> to, const std::vector<int>& kept) {
    const auto moves = [&](int p) { return std::ranges::find(kept, p) == kept.end(); };
    constexpr int kMostRounds = 32;  // mean fields may oscillate
    bool changed = true;
    for (int round = 0; changed && round < kMostRounds; ++round) {
      changed = false;
      take_occupations(to);
      while (true) {
        double most = 1e-12;
        std::pair<int, int> best{-1, -1};
        for (int p = 0; p < n_; ++p)
          for (int q = 0; q < p; ++q) {
            if (!moves(p) || !moves(q)) continue;
            const double before = part(to, p, q);
            std::swap(to[p], to[q]);
            const double gain = before - part(to, p, q);
            std::swap(to[p], to[q]);
            if (gain <= most) continue;
            most = gain;
            best = {p, q};
          }
        if (best.first < 0) break;
        std::swap(to[best.first], to[best.second]);
        changed = true;
      }
    }
    return {to, misfit(to)};
  }

  int n_;
  const std::vector<double>& occupations_;
  const ci::Integrals& integrals_;
  Unsigned own_;
  Unsigned earlier_;
};

/// Integrals whose sign is the product of the signs of two or four orbitals.
struct SignRelation {
  std::uint64_t orbitals = 0;
  double product = 0;      // sum over integrals of own * earlier
  double own_squares = 0;  // sums of their squares
  double earlier_squares = 0;

  void add(double a, double b) {
    product += a * b;
    own_squares += a * a;
    earlier_squares += b * b;
  }
  bool is_reliable() const {
    return own_squares > kNegligible &&
           product * product >= square(kReliable) * own_squares * earlier_squares;
  }
};

std::uint64_t bit(int p) { return std::uint64_t{1} << p; }

class SignSearch {
 public:
  SignSearch(const ci::Integrals& own_integrals, const ci::Integrals& earlier_integrals,
             const std::vector<int>& to, const std::vector<double>& occupations)
      : n_(own_integrals.orbitals()) {
    std::vector<double> moved(n_);
    for (int p = 0; p < n_; ++p) moved[to[p]] = occupations[p];
    const SmallMatrix own_field = mean_field(own_integrals, occupations);
    const SmallMatrix earlier_field = mean_field(earlier_integrals, moved);
    const auto add = [&](SignRelation& relation, int p, int q, int r, int s) {
      relation.add(two(own_integrals, p, q, r, s),
                   two(earlier_integrals, to[p], to[q], to[r], to[s]));
    };
    for (int p = 0; p < n_; ++p)
      for (int q = 0; q < p; ++q) {
        SignRelation pair{.orbitals = bit(p) | bit(q)};
        pair.add(own_integrals.one(kSpin, p, q), earlier_integrals.one(kSpin, to[p], to[q]));
        pair.add(own_field(p, q), earlier_field(to[p], to[q]));
        for (int r = 0; r < n_; ++r) {
          add(pair, p, q, r, r);
          if (r != p && r != q) add(pair, p, r, q, r);
        }
        relations_.push_back(pair);
        for (int r = 0; r < q; ++r)
          for (int s = 0; s < r; ++s) {
            SignRelation four{.orbitals = bit(p) | bit(q) | bit(r) | bit(s)};
            add(four, p, q, r, s);
            add(four, p, r, q, s);
            add(four, p, s, q, r);
            relations_.push_back(four);
          }
      }
    std::ranges::stable_sort(relations_, std::greater<>(),
                             [](const SignRelation& one) { return std::abs(one.product); });
    solve();
  }

  const std::vector<double>& signs() const { return signs_; }

  /// Sets of orbitals whose common sign is undetermined.
  std::vector<std::uint64_t> open() const {
    std::vector<std::uint64_t> sets = undetermined();
    for (int p = 0; p < n_; ++p) {
      double as_found = kExact;
      double flipped = 0;
      for (const SignRelation& one : relations_) {
        if ((one.orbitals & bit(p)) == 0) continue;
        const double fit = 2 * sign_of(one.orbitals) * one.product;
        as_found += one.own_squares + one.earlier_squares - fit;
        flipped += one.own_squares + one.earlier_squares + fit;
      }
      if (flipped < kClear * as_found && std::ranges::find(sets, bit(p)) == sets.end())
        sets.push_back(bit(p));
    }
    return sets;
  }

 private:
  /// A known product of signs: odd or even for some orbitals, the pivot among them.
  struct Equation {
    std::uint64_t orbitals;
    bool odd;
    int pivot;
  };

  double sign_of(std::uint64_t orbitals) const {
    double sign = 1;
    for (; orbitals != 0; orbitals &= orbitals - 1) sign *= signs_[std::countr_zero(orbitals)];
    return sign;
  }

  /// Gauss-Jordan elimination over parities, the strongest relations first.
  void solve() {
    for (const SignRelation& one : relations_) {
      if (!one.is_reliable()) continue;
      Equation next{one.orbitals, one.product < 0, 0};
      for (const Equation& known : equations_)
        if ((next.orbitals & bit(known.pivot)) != 0) {
          next.orbitals ^= known.orbitals;
          next.odd ^= known.odd;
        }
      if (next.orbitals == 0) continue;
      next.pivot = std::countr_zero(next.orbitals);
      for (Equation& known : equations_)
        if ((known.orbitals & bit(next.pivot)) != 0) {
          known.orbitals ^= next.orbitals;
          known.odd ^= next.odd;
        }
      equations_.push_back(next);
    }
    signs_.assign(n_, 1.0);
    for (const Equation& known : equations_)
      if (known.odd) signs_[known.pivot] = -1;
  }

  /// The sets of each orbital that is no pivot and its dependent pivots, which may be flipped.
  std::vector<std::uint64_t> undetermined() const {
    std::uint64_t pivots = 0;
    for (const Equation& known : equations_) pivots |= bit(known.pivot);
    std::vector<std::uint64_t> sets;
    for (int p = 0; p < n_; ++p) {
      if ((pivots & bit(p)) != 0) continue;
      std::uint64_t set = bit(p);
      for (const Equation& known : equations_)
        if ((known.orbitals & bit(p)) != 0) set |= bit(known.pivot);
      sets.push_back(set);
    }
    return sets;
  }

  int n_;
  std::vector<SignRelation> relations_;
  std::vector<Equation> equations_;
  std::vector<double> signs_;
};

std::string names_of(std::uint64_t orbitals) {
  std::string text;
  const int count = std::popcount(orbitals);
  for (int k = 0; orbitals != 0; orbitals &= orbitals - 1, ++k)
    text += base::concat(k == 0           ? ""
                         : k == count - 1 ? " and "
                                          : ", ",
                         std::countr_zero(orbitals) + 1);
  return text;
}

}  // namespace

OrbitalMatch match_orbitals(const ci::Integrals& own_integrals,
                            const ci::Integrals& earlier_integrals,
                            const std::vector<double>& occupations) {
  const int n = own_integrals.orbitals();
  OrderSearch orders(own_integrals, earlier_integrals, occupations);
  const OrderSearch::Found nearest = orders.nearest();
  const SignSearch signs(own_integrals, earlier_integrals, nearest.to, occupations);
  OrbitalMatch match{{nearest.to, signs.signs()}, {}};
  for (const std::uint64_t set : signs.open()) {
    SignedOrder flipped = match.best;
    for (int p = 0; p < n; ++p)
      if ((set & bit(p)) != 0) flipped.sign[p] = -flipped.sign[p];
    match.alternatives.push_back(
        {std::move(flipped), base::concat(std::popcount(set) == 1 ? "the sign of active orbital "
                                                                  : "the signs of active orbitals ",
                                          names_of(set))});
  }
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < p; ++q) {
      OrderSearch::Found other = orders.with_exchange(nearest.to, p, q);
      if (other.misfit >= kClear * nearest.misfit + kExact) continue;
      std::vector<double> theirs =
          SignSearch(own_integrals, earlier_integrals, other.to, occupations).signs();
      match.alternatives.push_back(
          {{std::move(other.to), std::move(theirs)},
           base::concat("which of two is active orbital ", q + 1, " and which ", p + 1)});
    }
  return match;
}

}  // namespace cisolve::job
