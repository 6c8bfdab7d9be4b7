#pragma once

#include <algorithm>
#include <vector>

#include "base/types.hpp"
#include "ci/strings/string.hpp"

namespace cisolve::ci {

/// Strings of `words` 64-bit words each, as few as their orbitals need; a String has room for the
/// most orbitals that there can be.
struct PackedStrings {
  int words = 1;                         // of each string: 1 to String::kWords
  std::vector<std::uint64_t> bits = {};  // string by string, as String::words() has them

  base::Index size() const { return std::ssize(bits) / words; }
  String operator[](base::Index k) const {
    std::array<std::uint64_t, String::kWords> all{};
    std::copy_n(bits.begin() + k * words, words, all.begin());
    return String::of_words(all);
  }
  /// The words of `string` beyond those that are kept must be 0.
  void add(const String& string) {
    bits.insert(bits.end(), string.words().begin(), string.words().begin() + words);
  }
};

/// Determinant k has alpha string k and beta string k.
struct PackedDeterminants {
  PackedStrings alpha;
  PackedStrings beta;
};

}  // namespace cisolve::ci
