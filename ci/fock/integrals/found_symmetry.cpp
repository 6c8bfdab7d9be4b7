#include "ci/fock/integrals/found_symmetry.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>

namespace cisolve::ci {
namespace {

using Bits = std::bitset<kMostOrbitals>;

int first_of(const Bits& bits) {
  int bit = 0;
  while (!bits.test(bit)) ++bit;
  return bit;
}

/// The vector space (over GF(2)) of parities that the integrals so far allow: bit j of an orbital's
/// label is its parity in the j-th basis vector. Starts with one for each orbital.
class AllowedParities {
 public:
  AllowedParities(int orbitals, double tolerance)
      : tolerance_(tolerance), labels_(orbitals), pairs_(pair_index(orbitals, 0)) {
    for (int p = 0; p < orbitals; ++p) labels_[p].set(p);
    label_pairs();
  }

  /// Adds a one-electron integral over a pair of orbitals.
  void meet(double value, Index pair) {
    if (std::abs(value) > tolerance_ && pairs_[pair].any()) forbid(pairs_[pair]);
  }
  void meet(double value, Index left, Index right) {
    if (std::abs(value) > tolerance_ && pairs_[left] != pairs_[right])
      forbid(pairs_[left] ^ pairs_[right]);
  }

  /// Whether only the parity is left in which all orbitals are alike.
  bool are_trivial() const { return trivial_; }

  /// The basis as sets of odd orbitals, normalised so that the first orbital is even: a parity and
  /// its complement differ by the parity of the number of electrons.
  std::vector<Bits> odd_orbitals() const {
    std::vector<Bits> parities(size());
    for (Index p = 0; p < size(); ++p)
      for (Index j = 0; j < size(); ++j)
        parities[j].set(p, labels_[p].test(j) != labels_.front().test(j));
    return parities;
  }

 private:
  Index size() const { return std::ssize(labels_); }

  /// The integral is odd in these basis vectors: eliminates one and adds it to the others.
  void forbid(const Bits odd) {
    const int gone = first_of(odd);
    for (Bits& label : labels_)
      if (label.test(gone)) label ^= odd;
    label_pairs();
  }

  void label_pairs() {
    for (int p = 0; p < size(); ++p)
      for (int q = 0; q <= p; ++q) pairs_[pair_index(p, q)] = labels_[p] ^ labels_[q];
    trivial_ = std::ranges::count(labels_, labels_.front()) == size();
  }

  double tolerance_;
  std::vector<Bits> labels_;
  std::vector<Bits> pairs_;
  bool trivial_ = false;
};

void meet_one_electron(const Integrals& integrals, Spin spin, AllowedParities& parities) {
  for (int p = 0; p < integrals.orbitals(); ++p)
    for (int q = 0; q <= p; ++q) parities.meet(integrals.one(spin, p, q), pair_index(p, q));
}

void meet_two_electron(const Integrals& integrals, Spin spin, AllowedParities& parities) {
  const double* value = integrals.same_spin(spin).data();
  const Index pairs = pair_index(integrals.orbitals(), 0);
  for (Index left = 0; left < pairs && !parities.are_trivial(); ++left)
    for (Index right = 0; right <= left; ++right) parities.meet(*value++, left, right);
}

void meet_mixed(const Integrals& integrals, AllowedParities& parities) {
  const double* value = integrals.mixed_spin().data();
  const Index pairs = pair_index(integrals.orbitals(), 0);
  for (Index left = 0; left < pairs && !parities.are_trivial(); ++left)
    for (Index right = 0; right < pairs; ++right) parities.meet(*value++, left, right);
}

/// The reduced row echelon form: a unique basis of the span, sorted by leading orbital.
std::vector<Bits> reduced(const std::vector<Bits>& parities) {
  std::vector<Bits> basis;
  for (Bits rest : parities) {
    for (const Bits& one : basis)
      if (rest.test(first_of(one))) rest ^= one;
    if (rest.none()) continue;
    for (Bits& one : basis)
      if (one.test(first_of(rest))) one ^= rest;
    basis.push_back(rest);
  }
  std::ranges::sort(basis, {}, first_of);
  return basis;
}

std::vector<int> labels_by(const std::vector<Bits>& parities, int orbitals) {
  std::vector<int> labels(orbitals, 0);
  for (int p = 0; p < orbitals; ++p)
    for (std::size_t j = 0; j < parities.size(); ++j) labels[p] |= parities[j].test(p) ? 1 << j : 0;
  return labels;
}

/// Sum of squared label populations; least if all labels are equally frequent.
Index crowding(const std::vector<Bits>& parities, int orbitals) {
  std::vector<Index> with(std::size_t{1} << parities.size(), 0);
  for (const int label : labels_by(parities, orbitals)) ++with[label];
  Index sum = 0;
  for (const Index count : with) sum += count * count;
  return sum;
}

/// Chooses kMostGenerators parities and combines them with others while this divides the orbitals
/// more evenly; linearly dependent ones never do.
std::vector<Bits> most_even(const std::vector<Bits>& basis, int orbitals) {
  std::vector<Bits> chosen(basis.begin(), basis.begin() + kMostGenerators);
  Index least = crowding(chosen, orbitals);
  for (bool better = true; better;) {
    better = false;
    for (std::size_t j = 0; j < chosen.size(); ++j)
      for (const Bits& other : basis) {
        std::vector<Bits> trial = chosen;
        trial[j] ^= other;
        const Index sum = crowding(trial, orbitals);
        if (sum >= least) continue;
        chosen = std::move(trial);
        least = sum;
        better = true;
      }
  }
  return reduced(chosen);
}

}  // namespace

double found_tolerance(const Integrals& integrals) {
  return kFoundTolerance * std::min(1.0, integrals.largest());
}

FoundSymmetry find_symmetry(const Integrals& integrals) {
  const int orbitals = integrals.orbitals();
  const std::vector<Spin> spins =
      integrals.spin_dependent() ? std::vector{Spin::alpha, Spin::beta} : std::vector{Spin::alpha};
  AllowedParities parities(orbitals, found_tolerance(integrals));
  for (const Spin spin : spins) meet_one_electron(integrals, spin, parities);
  for (const Spin spin : spins) meet_two_electron(integrals, spin, parities);
  if (integrals.spin_dependent()) meet_mixed(integrals, parities);
  const std::vector<Bits> basis = reduced(parities.odd_orbitals());
  const auto left_out = std::max<Index>(0, std::ssize(basis) - kMostGenerators);
  return {labels_by(left_out > 0 ? most_even(basis, orbitals) : basis, orbitals),
          static_cast<int>(left_out)};
}

}  // namespace cisolve::ci
