#pragma once

#include <span>
#include <vector>

#include "ci/fock/strings/string.hpp"

namespace cisolve::ci {

/// Hamming distances of one string to many. The words are stored as a structure of arrays (word 0
/// of all strings, then word 1, ...), so that the loop vectorises.
class StringDistances {
 public:
  explicit StringDistances(int orbitals) : words_of_string_(words_of_orbitals(orbitals)) {}

  /// Writes the words of strings `numbers` of `all`, in that layout; words.size() is a multiple of
  /// their number.
  static void write(std::span<const String> all, std::span<const StringNumber> numbers,
                    std::span<std::uint64_t> words) {
    auto next = words.begin();
    for (int w = 0; next != words.end(); ++w)
      for (const StringNumber number : numbers) *next++ = all[number].words()[w];
  }

  /// Returns for each string the number of orbitals that exactly one of the two occupies. The span
  /// is valid until the next call.
  std::span<const std::uint16_t> from(const String& string, std::span<const std::uint64_t> words) {
    const std::size_t size = words.size() / words_of_string_;
    distances_.assign(size, 0);
    for (int w = 0; w < words_of_string_; ++w) {
      const std::uint64_t own = string.words()[w];
      const std::uint64_t* const others = words.data() + w * size;
      for (std::size_t i = 0; i < size; ++i)
        distances_[i] += static_cast<std::uint16_t>(std::popcount(own ^ others[i]));
    }
    return distances_;
  }

 private:
  int words_of_string_;
  std::vector<std::uint16_t> distances_;
};

}  // namespace cisolve::ci
