#include "ci/oracle/excitation_screen.hpp"

#include <algorithm>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr std::array kBothSpins = {Spin::alpha, Spin::beta};

base::Array<std::uint64_t> no_bits(const base::Backend& host, Index words) {
  base::Array<std::uint64_t> set(host, words, "the excitation screen");
  std::ranges::fill(set.span(), std::uint64_t{0});
  return set;
}

/// Whether any term of a single's element is non-zero, for any occupation.
bool has_single_term(const OracleIntegrals& integrals, Spin spin, int p, int q) {
  if (integrals.one(spin, p, q) != 0) return true;
  for (int k = 0; k < integrals.orbitals(); ++k)
    if (integrals.two(spin, p, q, spin, k, k) != 0 || integrals.two(spin, p, k, spin, k, q) != 0 ||
        integrals.two(spin, p, q, other(spin), k, k) != 0)
      return true;
  return false;
}

}  // namespace

ExcitationScreen::ExcitationScreen(const Space& space, const OracleIntegrals& integrals,
                                   double threshold)
    : orbitals_(integrals.orbitals()),
      restricted_(!integrals.spin_dependent()),
      threshold_(threshold),
      pairs_(pair(orbitals_, 0)),
      words_((pairs_ + 63) / 64),
      singles_{no_bits(space.host(), words_), no_bits(space.host(), words_)},
      doubles_{no_bits(space.host(), pairs_ * words_),
               no_bits(space.host(), restricted_ ? 0 : pairs_ * words_)},
      mixed_(no_bits(space.host(), pairs_ * words_)),
      with_mixed_(no_bits(space.host(), words_)) {
  for (const Spin spin : kBothSpins) {
    String filled;
    String left;
    for (const String& string : space.strings(spin)) {
      filled = filled | string;
      left = left | (String::below(orbitals_) - string);
    }
    changing_[index(spin)] = filled & left;
    fill_singles(integrals, spin);
  }
  if (restricted_) {
    fill_doubles(integrals, Spin::alpha, changing_[0] | changing_[1]);
  } else {
    for (const Spin spin : kBothSpins) fill_doubles(integrals, spin, changing_[index(spin)]);
  }
  fill_mixed(integrals);
}

void ExcitationScreen::fill_singles(const OracleIntegrals& integrals, Spin spin) {
  for (int p = 1; p < orbitals_; ++p)
    for (int q = 0; q < p; ++q)
      if (changing_[index(spin)].has(p) && changing_[index(spin)].has(q) &&
          has_single_term(integrals, spin, p, q))
        put(singles_[index(spin)].data(), pair(p, q));
}

void ExcitationScreen::fill_doubles(const OracleIntegrals& integrals, Spin spin,
                                    const String& changing) {
  const std::vector<int> orbitals = changing.orbitals();
  base::for_each_chunk(std::ssize(orbitals), 1, mixed_.backend(), [&](Index last, Index) {
    const int r = orbitals[last];
    for (const int p : orbitals) {
      if (p >= r) break;
      std::uint64_t* reached = doubles_[index(spin)].data() + pair(p, r) * words_;
      for (const int s : orbitals)
        for (const int q : orbitals) {
          if (q >= s) break;
          if (keeps(integrals.two(spin, p, q, spin, r, s) - integrals.two(spin, p, s, spin, r, q)))
            put(reached, pair(q, s));
        }
    }
  });
}

void ExcitationScreen::fill_mixed(const OracleIntegrals& integrals) {
  const std::vector<int> alphas = changing_[0].orbitals();
  const std::vector<int> betas = changing_[1].orbitals();
  base::for_each_chunk(std::ssize(alphas), 1, mixed_.backend(), [&](Index last, Index) {
    const int p = alphas[last];
    for (const int q : alphas) {
      if (q >= p) break;
      std::uint64_t* with = mixed_.data() + pair(p, q) * words_;
      for (const int r : betas)
        for (const int s : betas) {
          if (s >= r) break;
          if (keeps(integrals.two(Spin::alpha, p, q, Spin::beta, r, s))) put(with, pair(r, s));
        }
    }
  });
  for (Index one = 0; one < pairs_; ++one)
    if (std::any_of(mixed_with(one), mixed_with(one) + words_,
                    [](std::uint64_t word) { return word != 0; }))
      put(with_mixed_.data(), one);
}

Index ExcitationScreen::bytes() const {
  return singles_[0].bytes() + singles_[1].bytes() + doubles_[0].bytes() + doubles_[1].bytes() +
         mixed_.bytes() + with_mixed_.bytes();
}

}  // namespace cisolve::ci
