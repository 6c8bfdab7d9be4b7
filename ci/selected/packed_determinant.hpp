#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>

#include "base/error.hpp"
#include "ci/fock/strings/determinant.hpp"

// Determinants in as few words as their orbitals need. A list of selected determinants is what
// fills the memory, and a String always has 256 bits. Plain values: a kernel may take them as they
// are.
namespace cisolve::ci {

/// The orbitals that one spin occupies, in W words: bit p % 64 of word p / 64 stands for orbital p.
/// Ordered by value, as String is.
template <int W>
struct OrbitalBits {
  static constexpr int kOrbitals = 64 * W;
  std::array<std::uint64_t, W> words{};

  /// Throws ErrorKind::internal for orbitals that do not fit.
  static OrbitalBits of(const String& string) {
    OrbitalBits bits;
    for (int w = 0; w < String::kWords; ++w) {
      if (w < W)
        bits.words[w] = string.words()[w];
      else if (string.words()[w] != 0)
        base::fail(base::ErrorKind::internal, "a string with orbitals from ", 64 * w + 1, " on in ",
                   W, " words");
    }
    return bits;
  }
  String string() const {
    std::array<std::uint64_t, String::kWords> all{};
    for (int w = 0; w < W; ++w) all[w] = words[w];
    return String::of_words(all);
  }

  /// All orbitals below p, 0 <= p <= 64 W.
  static constexpr OrbitalBits below(int p) {
    OrbitalBits mask;
    for (int w = 0; w < W; ++w) {
      const int bits = p - 64 * w;
      mask.words[w] = bits >= 64  ? ~std::uint64_t{0}
                      : bits <= 0 ? 0
                                  : (std::uint64_t{1} << bits) - 1;
    }
    return mask;
  }
  static constexpr OrbitalBits single(int p) { return OrbitalBits().flipped(p); }

  constexpr bool has(int p) const { return (words[word_of(p)] >> (p & 63) & 1) != 0; }
  /// The bits with orbital p occupied if it was empty, and empty if it was occupied.
  constexpr OrbitalBits flipped(int p) const {
    OrbitalBits result = *this;
    result.words[word_of(p)] ^= std::uint64_t{1} << (p & 63);
    return result;
  }

  constexpr int count() const {
    int sum = 0;
    for (const std::uint64_t word : words) sum += std::popcount(word);
    return sum;
  }
  constexpr bool empty() const { return *this == OrbitalBits(); }
  /// The lowest orbital of a set that is not empty.
  constexpr int first() const {
    int w = 0;
    while (w + 1 < W && words[w] == 0) ++w;
    return 64 * w + std::countr_zero(words[w]);
  }
  /// The highest orbital of a set that is not empty.
  constexpr int last() const {
    int w = W - 1;
    while (w > 0 && words[w] == 0) --w;
    return 64 * w + 63 - std::countl_zero(words[w]);
  }

  /// Calls visit(p) for each orbital, ascending.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    for (int w = 0; w < W; ++w)
      for (std::uint64_t word = words[w]; word != 0; word &= word - 1)
        visit(64 * w + std::countr_zero(word));
  }
  /// Writes the orbitals, ascending, and returns how many there are.
  constexpr int write_orbitals(std::uint8_t* orbitals) const {
    int count = 0;
    for_each([&](int p) { orbitals[count++] = static_cast<std::uint8_t>(p); });
    return count;
  }

  /// Whether a+_to a_from changes the sign of the string: an odd number of electrons lies strictly
  /// between the two orbitals.
  constexpr bool is_odd(int from, int to) const {
    const int low = from < to ? from : to;
    const int high = from < to ? to : from;
    if constexpr (W == 1) {
      const std::uint64_t between =
          ((std::uint64_t{1} << high) - 1) & ~((std::uint64_t{2} << low) - 1);
      return (std::popcount(words[0] & between) & 1) != 0;
    } else {
      const OrbitalBits between = below(high) - below(low + 1);
      return ((*this & between).count() & 1) != 0;
    }
  }

  friend constexpr OrbitalBits operator&(OrbitalBits a, const OrbitalBits& b) {
    for (int w = 0; w < W; ++w) a.words[w] &= b.words[w];
    return a;
  }
  friend constexpr OrbitalBits operator|(OrbitalBits a, const OrbitalBits& b) {
    for (int w = 0; w < W; ++w) a.words[w] |= b.words[w];
    return a;
  }
  friend constexpr OrbitalBits operator^(OrbitalBits a, const OrbitalBits& b) {
    for (int w = 0; w < W; ++w) a.words[w] ^= b.words[w];
    return a;
  }
  /// The orbitals of a that b lacks.
  friend constexpr OrbitalBits operator-(OrbitalBits a, const OrbitalBits& b) {
    for (int w = 0; w < W; ++w) a.words[w] &= ~b.words[w];
    return a;
  }
  friend constexpr bool operator==(const OrbitalBits& a, const OrbitalBits& b) {
    std::uint64_t difference = 0;  // compilers call memcmp for arrays
    for (int w = 0; w < W; ++w) difference |= a.words[w] ^ b.words[w];
    return difference == 0;
  }
  friend constexpr std::strong_ordering operator<=>(const OrbitalBits& a, const OrbitalBits& b) {
    for (int w = W - 1; w > 0; --w)
      if (a.words[w] != b.words[w]) return a.words[w] <=> b.words[w];
    return a.words[0] <=> b.words[0];
  }

 private:
  static constexpr int word_of(int p) { return W == 1 ? 0 : p >> 6; }
};

/// |alpha string> x |beta string>, ordered by alpha, then by beta: the canonical order of a Space.
template <int W>
struct PackedDeterminant {
  OrbitalBits<W> alpha;
  OrbitalBits<W> beta;

  static PackedDeterminant of(const Determinant& determinant) {
    return {OrbitalBits<W>::of(determinant.alpha), OrbitalBits<W>::of(determinant.beta)};
  }
  Determinant determinant() const { return {alpha.string(), beta.string()}; }

  friend constexpr bool operator==(const PackedDeterminant& a, const PackedDeterminant& b) {
    return a.alpha == b.alpha && a.beta == b.beta;
  }
  friend constexpr bool operator<(const PackedDeterminant& a, const PackedDeterminant& b) {
    return a.alpha == b.alpha ? a.beta < b.beta : a.alpha < b.alpha;
  }
  friend constexpr std::strong_ordering operator<=>(const PackedDeterminant& a,
                                                    const PackedDeterminant& b) {
    return a.alpha == b.alpha ? a.beta <=> b.beta : a.alpha <=> b.alpha;
  }
};

/// Calls work with std::integral_constant<int, W> for the fewest words, 1, 2 or 4, that hold the
/// orbitals, and returns what it returns. Throws ErrorKind::bad_input for more orbitals than
/// 256.
template <class Work>
decltype(auto) with_words_of(int orbitals, Work&& work) {
  if (orbitals < 1 || orbitals > kMostOrbitals)
    base::fail(base::ErrorKind::bad_input, orbitals, " orbitals; expected 1 to ", kMostOrbitals);
  switch (words_of_orbitals(orbitals)) {
    case 1: return work(std::integral_constant<int, 1>());
    case 2: return work(std::integral_constant<int, 2>());
    default: return work(std::integral_constant<int, 4>());
  }
}

}  // namespace cisolve::ci
