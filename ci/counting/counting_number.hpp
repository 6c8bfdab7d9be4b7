#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cisolve::ci {

using base::Index;

/// A whole number of either sign and any size: determinants and their pairs over 256 orbitals are
/// counted exactly. The number is Boost's; only the source knows, since Boost's header would take a
/// second in each of the many sources that see a count.
class BigCount {
 public:
  BigCount(Index value = 0);  // NOLINT: a number is one
  BigCount(const BigCount& other);
  BigCount(BigCount&& other) noexcept;  // what is left may only be assigned to
  BigCount& operator=(BigCount other) noexcept;
  ~BigCount();

  BigCount& operator+=(const BigCount& other);
  BigCount& operator-=(const BigCount& other);
  friend BigCount operator+(BigCount a, const BigCount& b) { return a += b; }
  friend BigCount operator-(BigCount a, const BigCount& b) { return a -= b; }
  friend BigCount operator*(const BigCount& a, const BigCount& b);
  friend bool operator==(const BigCount& a, const BigCount& b);
  friend bool operator<(const BigCount& a, const BigCount& b);

  /// The whole part of a half, a quarter...; of numbers that are not negative.
  BigCount shifted_right(int bits) const;
  bool is_zero() const;

  std::string to_string() const;
  double to_double() const;
  /// Where it is not negative and below 2^63.
  std::optional<Index> to_index() const;

 private:
  struct Number;
  explicit BigCount(const Number& number);
  std::unique_ptr<Number> number_;
};

/// n choose k for all k, by Pascal's rule.
std::vector<BigCount> binomials(int n);

}  // namespace cisolve::ci
