#include "ci/selected/heat_bath.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr double kBoundSlack =
    1e-12;  // relative to all terms: their rounding in any order of summation

/// All p < q in the order of HeatBathView::pair_of.
std::vector<std::pair<int, int>> ascending_pairs(int orbitals) {
  std::vector<std::pair<int, int>> pairs;
  for (int q = 1; q < orbitals; ++q)
    for (int p = 0; p < q; ++p) pairs.emplace_back(p, q);
  return pairs;
}

/// A value and its target, ordered by falling |value|.
struct SizedTarget {
  double value;
  int target;
  friend bool operator<(const SizedTarget& a, const SizedTarget& b) {
    const double x = std::abs(a.value);
    const double y = std::abs(b.value);
    return x != y ? x > y : a.target < b.target;
  }
};

/// Builds lists by falling |value| from list(number, found), which appends the entries of one list.
template <class Target, class List>
void fill_lists(Index lists, const base::Backend& host, const char* what,
                base::Array<Index>& begins, std::optional<base::Array<double>>& values,
                std::optional<base::Array<Target>>& targets, List&& list) {
  constexpr Index kGrain = 64;
  begins[0] = 0;
  base::for_each_chunk(lists, kGrain, host, [&](Index first, Index last) {
    std::vector<SizedTarget> found;
    for (Index l = first; l < last; ++l) {
      found.clear();
      list(l, found);
      begins[l + 1] = std::ssize(found);
    }
  });
  for (Index l = 0; l < lists; ++l) begins[l + 1] += begins[l];
  values.emplace(host, begins[lists], what);
  targets.emplace(host, begins[lists], what);
  base::for_each_chunk(lists, kGrain, host, [&](Index first, Index last) {
    std::vector<SizedTarget> found;
    for (Index l = first; l < last; ++l) {
      found.clear();
      list(l, found);
      std::sort(found.begin(), found.end());
      Index next = begins[l];
      for (const SizedTarget& one : found) {
        (*values)[next] = one.value;
        (*targets)[next++] = static_cast<Target>(one.target);
      }
    }
  });
}

/// The other orbitals r of each p, by falling sizes[p n + r].
base::Array<std::uint8_t> orbitals_by(const base::Array<double>& sizes, int n,
                                      const base::Backend& host) {
  base::Array<std::uint8_t> order(host, Index{n} * (n - 1), "the order of excitations");
  for (int p = 0; p < n; ++p) {
    std::vector<SizedTarget> found;
    for (int r = 0; r < n; ++r)
      if (r != p) found.push_back({sizes[Index{p} * n + r], r});
    std::sort(found.begin(), found.end());
    for (int k = 0; k < n - 1; ++k)
      order[Index{p} * (n - 1) + k] = static_cast<std::uint8_t>(found[k].target);
  }
  return order;
}

/// The largest |h + sum over `own` of the terms of orbitals other than p and r + sum over
/// `others`|.
double bound_of(double one, const double* same, const double* other, int n, int p, int r, int own,
                int others) {
  std::vector<double> with_own;
  for (int k = 0; k < n; ++k)
    if (k != p && k != r) with_own.push_back(same[k]);
  std::vector<double> with_other(other, other + n);
  std::ranges::sort(with_own);
  std::ranges::sort(with_other);
  const int take = std::min(own - 1, static_cast<int>(std::ssize(with_own)));
  double low = one;
  double high = one;
  double sizes = std::abs(one);
  for (int k = 0; k < take; ++k) {
    low += with_own[k];
    high += with_own[with_own.size() - 1 - k];
  }
  for (int l = 0; l < others; ++l) {
    low += with_other[l];
    high += with_other[with_other.size() - 1 - l];
  }
  for (const double value : with_own) sizes += std::abs(value);
  for (const double value : with_other) sizes += std::abs(value);
  return std::max(std::abs(low), std::abs(high)) + kBoundSlack * sizes;
}

void check_table_request(int orbitals, const SpinElectrons& electrons, double least) {
  for (const Spin spin : {Spin::alpha, Spin::beta})
    if (electrons.of(spin) < 0 || electrons.of(spin) > orbitals)
      base::fail(base::ErrorKind::bad_input, electrons.of(spin), " electrons of one spin in ",
                 orbitals, " orbitals; expected 0 to ", orbitals);
  if (!(least >= 0))
    base::fail(base::ErrorKind::bad_input, "elements of at least ", least,
               " are requested; expected a bound of 0 or more");
}

}  // namespace

HeatBathTables::HeatBathTables(const Integrals& integrals, SpinElectrons electrons, double least,
                               const base::Backend& host)
    : integrals_(integrals),
      host_(host.host()),
      orbitals_(integrals.orbitals()),
      electrons_(electrons),
      least_(least) {
  check_table_request(orbitals_, electrons, least);
  opposite_spin_ = opposite_spin_table(integrals);
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    if (spin == Spin::beta && !integrals.spin_dependent() && electrons.alpha == electrons.beta)
      break;
    singles_.push_back(single_table(integrals, spin));
  }
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    if (spin == Spin::beta && !integrals.spin_dependent()) break;
    same_spin_.push_back(same_spin_table(integrals, spin));
  }
}

HeatBathTables::SameSpinTable HeatBathTables::same_spin_table(const Integrals& integrals,
                                                              Spin spin) const {
  const int n = orbitals_;
  const Index pairs = Index{n} * (n - 1) / 2;
  base::Array<Index> begins(host_, pairs + 1, "the lists of same-spin doubles");
  const std::vector<std::pair<int, int>> orbitals_of = ascending_pairs(n);
  std::optional<base::Array<double>> values;
  std::optional<base::Array<std::uint16_t>> targets;
  fill_lists(pairs, host_, "the same-spin doubles", begins, values, targets,
             [&](Index pair, std::vector<SizedTarget>& found) {
               const auto [p, q] = orbitals_of[pair];
               for (const auto& [r, s] : orbitals_of) {
                 if (r == p || r == q || s == p || s == q) continue;
                 const double value =
                     integrals.two(spin, p, r, spin, q, s) - integrals.two(spin, p, s, spin, q, r);
                 if (value != 0 && std::abs(value) >= least_) found.push_back({value, r + 256 * s});
               }
             });
  return {std::move(begins), std::move(*values), std::move(*targets)};
}

HeatBathTables::OppositeSpinTable HeatBathTables::opposite_spin_table(
    const Integrals& integrals) const {
  const int n = orbitals_;
  const Index pairs = Index{n} * (n - 1) / 2;
  const std::vector<std::pair<int, int>> orbitals_of = ascending_pairs(n);
  base::Array<Index> begins(host_, pairs * n + 1, "the lists of opposite-spin doubles");
  std::optional<base::Array<double>> values;
  std::optional<base::Array<std::uint8_t>> targets;
  fill_lists(pairs * n, host_, "the opposite-spin doubles", begins, values, targets,
             [&](Index list, std::vector<SizedTarget>& found) {
               const auto [p, r] = orbitals_of[list / n];
               const auto q = static_cast<int>(list % n);
               for (int s = 0; s < n; ++s) {
                 if (s == q) continue;
                 const double value = integrals.two(Spin::alpha, p, r, Spin::beta, q, s);
                 if (value != 0 && std::abs(value) >= least_) found.push_back({value, s});
               }
             });
  base::Array<double> largest(host_, Index{n} * n, "the largest opposite-spin doubles");
  std::ranges::fill(largest.span(), 0.0);
  for (Index pair = 0; pair < pairs; ++pair) {
    double size = 0;
    for (Index list = pair * n; list < (pair + 1) * n; ++list)
      if (begins[list] < begins[list + 1]) size = std::max(size, std::abs((*values)[begins[list]]));
    const auto [p, r] = orbitals_of[pair];
    largest[Index{p} * n + r] = largest[Index{r} * n + p] = size;
  }
  base::Array<std::uint8_t> order = orbitals_by(largest, n, host_);
  return {std::move(begins), std::move(*values), std::move(*targets), std::move(largest),
          std::move(order)};
}

HeatBathTables::SingleTable HeatBathTables::single_table(const Integrals& integrals,
                                                         Spin spin) const {
  const int n = orbitals_;
  const Index pairs = Index{n} * n;
  base::Array<double> one(host_, pairs, "the one-electron integrals of singles");
  base::Array<double> same(host_, pairs * n, "the fields of singles");
  base::Array<double> opposite(host_, pairs * n, "the fields of singles");
  base::Array<double> bounds(host_, pairs, "the bounds of singles");
  base::for_each_chunk(pairs, n, host_, [&](Index first, Index last) {
    for (Index pair = first; pair < last; ++pair) {
      const auto p = static_cast<int>(pair / n);
      const auto r = static_cast<int>(pair % n);
      one[pair] = integrals.one(spin, p, r);
      for (int k = 0; k < n; ++k) {
        same[pair * n + k] =
            integrals.two(spin, p, r, spin, k, k) - integrals.two(spin, p, k, spin, k, r);
        opposite[pair * n + k] = integrals.two(spin, p, r, other(spin), k, k);
      }
      bounds[pair] = p == r
                         ? 0
                         : bound_of(one[pair], same.data() + pair * n, opposite.data() + pair * n,
                                    n, p, r, electrons_.of(spin), electrons_.of(other(spin)));
    }
  });
  base::Array<std::uint8_t> order = orbitals_by(bounds, n, host_);
  return {std::move(one), std::move(same), std::move(opposite), std::move(bounds),
          std::move(order)};
}

HeatBathView HeatBathTables::view() const {
  HeatBathView view{};
  view.orbitals = orbitals_;
  view.least = least_;
  for (int spin = 0; spin < 2; ++spin) {
    const SameSpinTable& same = same_spin_[std::min<std::size_t>(spin, same_spin_.size() - 1)];
    view.same_spin[spin] = {same.begins.data(), same.values.data(), same.targets.data()};
    const SingleTable& one = singles_[std::min<std::size_t>(spin, singles_.size() - 1)];
    view.singles[spin] = {one.one.data(), one.same.data(), one.other.data(), one.bounds.data(),
                          one.by_bounds.data()};
  }
  view.opposite_spin = {opposite_spin_->begins.data(), opposite_spin_->values.data(),
                        opposite_spin_->targets.data(), opposite_spin_->largest.data(),
                        opposite_spin_->by_largest.data()};
  return view;
}

Index HeatBathTables::bytes() const {
  Index sum = opposite_spin_->begins.bytes() + opposite_spin_->values.bytes() +
              opposite_spin_->targets.bytes() + opposite_spin_->largest.bytes() +
              opposite_spin_->by_largest.bytes();
  for (const SameSpinTable& same : same_spin_)
    sum += same.begins.bytes() + same.values.bytes() + same.targets.bytes();
  for (const SingleTable& one : singles_)
    sum += one.one.bytes() + one.same.bytes() + one.other.bytes() + one.bounds.bytes() +
           one.by_bounds.bytes();
  return sum;
}

Index HeatBathTables::most_bytes(int orbitals, bool spin_dependent) {
  const Index n = orbitals;
  const Index pairs = n * (n - 1) / 2;
  const Index opposite = 8 * (pairs * n + 1) + 9 * pairs * (2 * pairs) + 8 * n * n + 2 * pairs;
  const Index same = 8 * (pairs + 1) + 10 * pairs * pairs;
  const Index singles = 16 * n * n * n + 16 * n * n + 2 * pairs;
  return opposite + (spin_dependent ? 2 : 1) * same + 2 * singles;
}

}  // namespace cisolve::ci
