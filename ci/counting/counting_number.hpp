#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cisolve::ci {

using base::Index;

/// A whole number modulo 2^640, wide enough to count determinants and their pairs over 256
/// orbitals exactly. Sums of either sign are right as long as what they end in is not negative.
class BigCount {
 public:
  BigCount() = default;
  BigCount(Index value) : words_{static_cast<std::uint64_t>(value)} {  // NOLINT: a number is one
    if (value < 0)
      for (int w = 1; w < kWords; ++w) words_[w] = ~std::uint64_t{0};
  }

  BigCount& operator+=(const BigCount& other);
  BigCount& operator-=(const BigCount& other);
  friend BigCount operator+(BigCount a, const BigCount& b) { return a += b; }
  friend BigCount operator-(BigCount a, const BigCount& b) { return a -= b; }
  friend BigCount operator*(const BigCount& a, const BigCount& b);
  friend bool operator==(const BigCount&, const BigCount&) = default;
  /// Of numbers that are not negative.
  friend bool operator<(const BigCount& a, const BigCount& b);

  /// The whole part of a half, a quarter...; of numbers that are not negative.
  BigCount shifted_right(int bits) const;
  bool is_zero() const { return *this == BigCount(); }

  std::string to_string() const;
  double to_double() const;
  /// Where it is below 2^63.
  std::optional<Index> to_index() const;

 private:
  static constexpr int kWords = 10;
  std::array<std::uint64_t, kWords> words_{};  // the lowest first
};

/// n choose k for all k, by Pascal's rule.
std::vector<BigCount> binomials(int n);

}  // namespace cisolve::ci
