#pragma once

#include <algorithm>
#include <vector>

#include "base/types.hpp"
#include "ci/fock/strings/string.hpp"

namespace cisolve::ci {

/// Strings of `words` 64-bit words each, the fewest that their orbitals need; a String always has
/// String::kWords.
struct PackedStrings {
  int words = 1;                         // words per string, 1 to String::kWords
  std::vector<std::uint64_t> bits = {};  // string by string, in the layout of String::words()

  base::Index size() const { return std::ssize(bits) / words; }
  String operator[](base::Index k) const {
    std::array<std::uint64_t, String::kWords> all{};
    std::copy_n(bits.begin() + k * words, words, all.begin());
    return String::of_words(all);
  }
  /// Words of `string` from number `words` on must be 0.
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
