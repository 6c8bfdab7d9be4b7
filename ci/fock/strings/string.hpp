#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <vector>

namespace cisolve::ci {

/// The index of a string in the table of its spin; -1 for none. A spin has fewer than 2^31 strings;
/// determinants are counted by base::Index.
using StringNumber = std::int32_t;

/// An occupation string: bit p of a 256-bit number is orbital p of one spin. Strings are ordered by
/// value.
class String {
 public:
  static constexpr int kWords = 4;

  constexpr String() = default;

  static String of(const std::vector<int>& orbitals) {
    String string;
    for (const int p : orbitals) string = string.with(p);
    return string;
  }

  /// Bit p % 64 of word p / 64 is orbital p.
  static constexpr String of_words(const std::array<std::uint64_t, kWords>& words) {
    String string;
    string.words_ = words;
    return string;
  }

  /// The mask of orbitals 0 to p - 1, 0 <= p <= 256. Shifts are by less than a word.
  static constexpr String below(int p) {
    String mask;
    for (int w = 0; w < kWords; ++w) {
      const int bits = p - 64 * w;
      if (bits >= 64)
        mask.words_[w] = ~std::uint64_t{0};
      else if (bits > 0)
        mask.words_[w] = (std::uint64_t{1} << bits) - 1;
    }
    return mask;
  }

  constexpr bool has(int p) const { return (words_[p / 64] >> (p % 64) & 1) != 0; }
  constexpr String with(int p) const {
    String result = *this;
    result.words_[p / 64] |= std::uint64_t{1} << (p % 64);
    return result;
  }
  constexpr String without(int p) const {
    String result = *this;
    result.words_[p / 64] &= ~(std::uint64_t{1} << (p % 64));
    return result;
  }

  constexpr bool empty() const { return *this == String(); }
  constexpr int count() const {
    int sum = 0;
    for (const std::uint64_t word : words_) sum += std::popcount(word);
    return sum;
  }

  /// Calls visit(p) for each occupied orbital, ascending.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int w = 0; w < kWords; ++w)
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        visit(64 * w + std::countr_zero(word));
  }

  std::vector<int> orbitals() const {
    std::vector<int> list;
    for_each([&](int p) { list.push_back(p); });
    return list;
  }

  constexpr const std::array<std::uint64_t, kWords>& words() const { return words_; }

  friend constexpr String operator&(String a, const String& b) {
    for (int w = 0; w < kWords; ++w) a.words_[w] &= b.words_[w];
    return a;
  }
  friend constexpr String operator|(String a, const String& b) {
    for (int w = 0; w < kWords; ++w) a.words_[w] |= b.words_[w];
    return a;
  }
  /// Set difference: orbitals of a that are not in b.
  friend constexpr String operator-(String a, const String& b) {
    for (int w = 0; w < kWords; ++w) a.words_[w] &= ~b.words_[w];
    return a;
  }
  friend constexpr bool operator==(const String& a, const String& b) {
    std::uint64_t difference = 0;
    for (int w = 0; w < kWords; ++w) difference |= a.words_[w] ^ b.words_[w];
    return difference == 0;
  }
  friend constexpr std::strong_ordering operator<=>(const String& a, const String& b) {
    for (int w = kWords - 1; w > 0; --w)
      if (a.words_[w] != b.words_[w]) return a.words_[w] <=> b.words_[w];
    return a.words_[0] <=> b.words_[0];
  }

 private:
  std::array<std::uint64_t, kWords> words_{};  // the least significant first
};

/// The number of 64-bit words that hold all orbitals.
constexpr int words_of_orbitals(int orbitals) { return (orbitals + 63) / 64; }

/// Orbitals of `string` that are empty in `reference`: the excitation level if both have as many
/// electrons.
inline int excitation_level(const String& reference, const String& string) {
  return (string - reference).count();
}

}  // namespace cisolve::ci
