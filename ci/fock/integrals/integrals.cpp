#include "ci/fock/integrals/integrals.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

base::Array<double> zeros(const base::Backend& host, Index size, std::string_view what) {
  base::Array<double> array(host, size, what);
  std::ranges::fill(array.span(), 0.0);
  return array;
}

Index checked_pairs(int orbitals) {
  if (orbitals < 1 || orbitals > kMostOrbitals)
    base::fail(base::ErrorKind::bad_input, orbitals, " orbitals; expected 1 to ", kMostOrbitals);
  return Index{orbitals} * (orbitals + 1) / 2;
}

}  // namespace

Integrals::Integrals(int orbitals, bool spin_dependent, const base::Backend& host)
    : orbitals_(orbitals),
      spin_dependent_(spin_dependent),
      pairs_(checked_pairs(orbitals)),
      irreps_(orbitals, 0),
      mixed_(zeros(host, spin_dependent ? pairs_ * pairs_ : 0, "the alpha-beta integrals")) {
  for (int spin = 0; spin < (spin_dependent ? 2 : 1); ++spin) {
    one_.push_back(zeros(host, pairs_, "the one-electron integrals"));
    same_.push_back(zeros(host, pairs_ * (pairs_ + 1) / 2, "the two-electron integrals"));
  }
}

void Integrals::set_one(Spin spin, int p, int q, double value) {
  one_[block(spin)][pair_index(p, q)] = value;
}

void Integrals::set_two(Spin left, int p, int q, Spin right, int r, int s, double value) {
  if (!spin_dependent_ || left == right)
    same_[block(left)][pair_index(pair_index(p, q), pair_index(r, s))] = value;
  else if (left == Spin::alpha)
    mixed_[pair_index(p, q) * pairs_ + pair_index(r, s)] = value;
  else
    mixed_[pair_index(r, s) * pairs_ + pair_index(p, q)] = value;
}

double Integrals::largest() const {
  double largest = 0;
  const auto meet = [&](const base::Array<double>& block) {
    for (const double value : block.span()) largest = std::max(largest, std::abs(value));
  };
  meet(mixed_);
  std::ranges::for_each(one_, meet);
  std::ranges::for_each(same_, meet);
  return largest;
}

Index Integrals::drop_noise() {
  constexpr double kNoise = 1e-14;
  constexpr double kMost = 1e-12;  // upper limit for any size of integrals
  std::vector<std::span<double>> blocks = {mixed_.span()};
  for (base::Array<double>& block : one_) blocks.push_back(block.span());
  for (base::Array<double>& block : same_) blocks.push_back(block.span());
  const double bound = std::min(kNoise * largest(), kMost);
  Index dropped = 0;
  for (const std::span<double> block : blocks)
    for (double& value : block)
      if (value != 0 && std::abs(value) <= bound) {
        value = 0;
        ++dropped;
      }
  return dropped;
}

Index Integrals::drop_forbidden(double most) {
  if (std::ranges::all_of(irreps_, [](int label) { return label == 0; })) return 0;
  std::vector<int> label_of;  // label of each orbital pair
  for (int p = 0; p < orbitals_; ++p)
    for (int q = 0; q <= p; ++q) label_of.push_back(irreps_[p] ^ irreps_[q]);
  Index dropped = 0;
  const auto drop = [&](double& value, int label) {
    if (label == 0 || value == 0 || std::abs(value) > most) return;
    value = 0;
    ++dropped;
  };
  for (base::Array<double>& block : one_)
    for (Index pair = 0; pair < pairs_; ++pair) drop(block[pair], label_of[pair]);
  for (base::Array<double>& block : same_)
    for (Index left = 0; left < pairs_; ++left)
      for (Index right = 0; right <= left; ++right)
        drop(block[pair_index(left, right)], label_of[left] ^ label_of[right]);
  if (spin_dependent_)
    for (Index left = 0; left < pairs_; ++left)
      for (Index right = 0; right < pairs_; ++right)
        drop(mixed_[left * pairs_ + right], label_of[left] ^ label_of[right]);
  return dropped;
}

void Integrals::set_irreps(std::vector<int> irreps) {
  if (std::ssize(irreps) != orbitals_)
    base::fail(base::ErrorKind::internal, irreps.size(), " irreps for ", orbitals_, " orbitals");
  irreps_ = std::move(irreps);
}

}  // namespace cisolve::ci
