#include "ci/counting/counting_number.hpp"

#include <algorithm>
#include <cmath>

namespace cisolve::ci {

__extension__ using Wide = unsigned __int128;

BigCount& BigCount::operator+=(const BigCount& other) {
  Wide carry = 0;
  for (int w = 0; w < kWords; ++w) {
    carry += Wide{words_[w]} + other.words_[w];
    words_[w] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return *this;
}

BigCount& BigCount::operator-=(const BigCount& other) {
  Wide carry = 1;  // a - b = a + ~b + 1
  for (int w = 0; w < kWords; ++w) {
    carry += Wide{words_[w]} + ~other.words_[w];
    words_[w] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return *this;
}

BigCount operator*(const BigCount& a, const BigCount& b) {
  BigCount product;
  for (int i = 0; i < BigCount::kWords; ++i) {
    if (a.words_[i] == 0) continue;
    Wide carry = 0;
    for (int j = 0; i + j < BigCount::kWords; ++j) {
      carry += Wide{a.words_[i]} * b.words_[j] + product.words_[i + j];
      product.words_[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  return product;
}

bool operator<(const BigCount& a, const BigCount& b) {
  return std::lexicographical_compare(a.words_.rbegin(), a.words_.rend(), b.words_.rbegin(),
                                      b.words_.rend());
}

BigCount BigCount::shifted_right(int bits) const {
  BigCount result;
  for (int w = 0; w < kWords; ++w) {
    const std::uint64_t above = w + 1 < kWords ? words_[w + 1] : 0;
    result.words_[w] = bits == 0 ? words_[w] : words_[w] >> bits | above << (64 - bits);
  }
  return result;
}

std::string BigCount::to_string() const {
  BigCount rest = *this;
  std::string digits;
  while (!rest.is_zero() || digits.empty()) {
    Wide remainder = 0;
    for (int w = kWords - 1; w >= 0; --w) {
      remainder = remainder << 64 | rest.words_[w];
      rest.words_[w] = static_cast<std::uint64_t>(remainder / 10);
      remainder %= 10;
    }
    digits.push_back(static_cast<char>('0' + static_cast<int>(remainder)));
  }
  std::ranges::reverse(digits);
  return digits;
}

double BigCount::to_double() const {
  double value = 0;
  for (int w = kWords - 1; w >= 0; --w)
    value = std::ldexp(value, 64) + static_cast<double>(words_[w]);
  return value;
}

std::optional<Index> BigCount::to_index() const {
  if (*this != BigCount(static_cast<Index>(words_[0])) || static_cast<Index>(words_[0]) < 0)
    return std::nullopt;
  return static_cast<Index>(words_[0]);
}

std::vector<BigCount> binomials(int n) {
  std::vector<BigCount> row{BigCount(1)};
  for (int i = 0; i < n; ++i) {
    row.push_back(BigCount(0));
    for (int k = i + 1; k > 0; --k) row[k] += row[k - 1];
  }
  return row;
}

}  // namespace cisolve::ci
