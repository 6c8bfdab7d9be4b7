#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "io/hdf5/new_file.hpp"
#include "io/results/results.hpp"

// Determinants as bit fields of 64-bit words; orbital 1 is bit 0 of the first word.
namespace cisolve::io {

using StringWords = std::array<Index, ci::String::kWords>;

inline Index words_for(int orbitals) { return ci::words_of_orbitals(orbitals); }

inline StringWords words_of(const ci::String& string) {
  StringWords words{};
  for (std::size_t w = 0; w < words.size(); ++w) words[w] = static_cast<Index>(string.words()[w]);
  return words;
}

/// The strings of a space over all orbitals, and whether each changes the sign of its determinants.
class WholeStrings {
 public:
  explicit WholeStrings(const StoredSpace& stored) : space_(stored.space) {
    for (const ci::Spin spin : {ci::Spin::alpha, ci::Spin::beta})
      for (const ci::String& string : space_.strings(spin)) {
        const ci::WholeString whole = ci::whole_string(stored.window, string);
        words_[index(spin)].push_back(words_of(whole.string));
        odd_[index(spin)].push_back(whole.odd);
      }
  }

  const StringWords& words(ci::Spin spin, Index string) const {
    return words_[index(spin)][string];
  }
  /// Writes the first `count` words of one spin's string for each determinant of an alpha string.
  void write_words(ci::Spin spin, Index alpha, Index count, std::vector<Index>& to) const {
    to.clear();
    for (const ci::StringNumber b : space_.betas_of(alpha)) {
      const StringWords& all = words(spin, spin == ci::Spin::alpha ? alpha : Index{b});
      to.insert(to.end(), all.begin(), all.begin() + count);
    }
  }

  bool change_signs() const {
    return std::ranges::count(odd_[0], true) + std::ranges::count(odd_[1], true) > 0;
  }
  bool is_odd(Index alpha, Index beta) const { return odd_[0][alpha] != odd_[1][beta]; }

  /// Calls visit(alpha string, beta string) for each determinant, in canonical order.
  template <class Visit>
  void for_each_determinant(Visit&& visit) const {
    for (Index a = 0; a < std::ssize(words_[0]); ++a)
      for (const ci::StringNumber b : space_.betas_of(a)) visit(a, Index{b});
  }

 private:
  static std::size_t index(ci::Spin spin) { return static_cast<std::size_t>(spin); }

  const ci::Space& space_;
  std::array<std::vector<StringWords>, 2> words_;
  std::array<std::vector<bool>, 2> odd_;
};

/// Converts elements of vectors to the signs of determinants over all orbitals; empty if these are
/// equal.
inline hdf5::Alteration signs_over_all(const WholeStrings& strings) {
  if (!strings.change_signs()) return {};
  std::vector<bool> odd;
  strings.for_each_determinant(
      [&](Index alpha, Index beta) { odd.push_back(strings.is_odd(alpha, beta)); });
  return [odd = std::move(odd)](Index row, std::span<double> elements) {
    for (double& element : elements)
      if (odd[row++]) element = -element;
  };
}

}  // namespace cisolve::io
