#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "sparse/rows/shape.hpp"

// Random draws of the generated matrices, by exact arithmetic on random bits.
namespace cisolve::sparse {

/// Uniform in (-1, 1) and never 0: values are midpoints of the symmetric interval's grid.
inline double nonzero_value(std::uint64_t bits) {
  return base::symmetric_interval(bits) + 0x1.0p-53;
}

/// Normal with mean 0 and standard deviation 1, clipped at 5: the number of ones among 1024 random
/// bits plus a uniform fraction.
inline double normal(base::RandomStream random) {
  constexpr int words = 16;
  constexpr double half = 32.0 * words;
  int ones = 0;
  for (int i = 0; i < words; ++i) ones += std::popcount(random.next());
  const double centred = ones - half + random.uniform() - 0.5;
  return std::clamp(centred / std::sqrt(half / 2 + 1.0 / 12), -5.0, 5.0);
}

/// Draws sets of distinct numbers. A bitmap marks them, a second one marks the used words of the
/// first, so that the cost depends on the numbers drawn rather than on their range.
class DistinctNumbers {
 public:
  explicit DistinctNumbers(Index largest_range)
      : words_(words_for(largest_range)), used_(words_for(std::ssize(words_))) {}

  /// Calls visit(number) for `count` numbers of [0, range), uniformly chosen, in ascending order.
  template <class Visit>
  void draw(Index range, Index count, base::RandomStream& random, Visit&& visit) {
    if (2 * count <= range) {
      mark(range, count, random);
      visit_marked(range, visit);
    } else {  // choose the excluded ones
      mark(range, range - count, random);
      visit_unmarked(range, visit);
    }
  }

 private:
  static constexpr Index kBits = 64;
  static Index words_for(Index bits) { return (bits + kBits - 1) / kBits; }

  void mark(Index range, Index count, base::RandomStream& random) {
    for (Index marked = 0; marked < count;) {
      const std::uint64_t number = random.below(range);
      std::uint64_t& word = words_[number / kBits];
      marked += 1 - static_cast<Index>(word >> (number % kBits) & 1);
      word |= 1ULL << (number % kBits);
      used_[number / (kBits * kBits)] |= 1ULL << (number / kBits % kBits);
    }
  }

  template <class Visit>
  static void visit_bits(std::uint64_t word, Index offset, Visit&& visit) {
    for (; word != 0; word &= word - 1) visit(offset + std::countr_zero(word));
  }

  // This and visit_unmarked() clear the bitmaps.
  template <class Visit>
  void visit_marked(Index range, Visit&& visit) {
    for (Index u = 0; u < words_for(words_for(range)); ++u) {
      visit_bits(used_[u], u * kBits, [&](Index w) {
        visit_bits(words_[w], w * kBits, visit);
        words_[w] = 0;
      });
      used_[u] = 0;
    }
  }

  template <class Visit>
  void visit_unmarked(Index range, Visit&& visit) {
    for (Index w = 0; w < words_for(range); ++w) {
      const Index in_range = std::min(kBits, range - w * kBits);
      visit_bits(~words_[w] & (~0ULL >> (kBits - in_range)), w * kBits, visit);
      words_[w] = 0;
    }
    std::fill_n(used_.begin(), words_for(words_for(range)), 0);
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> used_;
};

}  // namespace cisolve::sparse
