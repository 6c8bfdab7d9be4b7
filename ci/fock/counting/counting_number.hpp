#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cisolve::ci {

using base::Index;

/// An integer of any size and sign: counts over 256 orbitals are exact. Hides Boost's cpp_int,
/// whose header would cost a second in every source that includes it.
class BigCount {
 public:
  BigCount(Index value = 0);  // NOLINT: implicit conversion is intended
  BigCount(const BigCount& other);
  BigCount(BigCount&& other) noexcept;  // the moved-from value may only be assigned to or destroyed
  BigCount& operator=(BigCount other) noexcept;
  ~BigCount();

  BigCount& operator+=(const BigCount& other);
  BigCount& operator-=(const BigCount& other);
  friend BigCount operator+(BigCount a, const BigCount& b) { return a += b; }
  friend BigCount operator-(BigCount a, const BigCount& b) { return a -= b; }
  friend BigCount operator*(const BigCount& a, const BigCount& b);
  friend bool operator==(const BigCount& a, const BigCount& b);
  friend bool operator<(const BigCount& a, const BigCount& b);

  /// floor(value / 2^bits), value >= 0.
  BigCount shifted_right(int bits) const;
  bool is_zero() const;

  std::string to_string() const;
  double to_double() const;
  /// The value if 0 <= value < 2^63.
  std::optional<Index> to_index() const;

 private:
  struct Number;
  explicit BigCount(const Number& number);
  std::unique_ptr<Number> number_;
};

/// n choose k for k = 0 to n, by Pascal's rule.
std::vector<BigCount> binomials(int n);

}  // namespace cisolve::ci
