#include "ci/fock/counting/counting_number.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <limits>
#include <utility>

namespace cisolve::ci {
namespace {

// Bits stored in the object itself: counts over 256 orbitals allocate nothing further.
constexpr unsigned kOwnBits = 640;
using Whole = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<kOwnBits>,
                                            boost::multiprecision::et_off>;

}  // namespace

struct BigCount::Number {
  Whole value;
};

BigCount::BigCount(Index value) : BigCount(Number{value}) {}
BigCount::BigCount(const Number& number) : number_(std::make_unique<Number>(number)) {}
BigCount::BigCount(const BigCount& other) : BigCount(*other.number_) {}
BigCount::BigCount(BigCount&& other) noexcept = default;
BigCount::~BigCount() = default;

BigCount& BigCount::operator=(BigCount other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

BigCount& BigCount::operator+=(const BigCount& other) {
  number_->value += other.number_->value;
  return *this;
}

BigCount& BigCount::operator-=(const BigCount& other) {
  number_->value -= other.number_->value;
  return *this;
}

BigCount operator*(const BigCount& a, const BigCount& b) {
  return BigCount(BigCount::Number{a.number_->value * b.number_->value});
}

bool operator==(const BigCount& a, const BigCount& b) {
  return a.number_->value == b.number_->value;
}

bool operator<(const BigCount& a, const BigCount& b) { return a.number_->value < b.number_->value; }

BigCount BigCount::shifted_right(int bits) const {
  return BigCount(Number{number_->value >> bits});
}

bool BigCount::is_zero() const { return number_->value.is_zero(); }

std::string BigCount::to_string() const { return number_->value.str(); }

double BigCount::to_double() const { return number_->value.convert_to<double>(); }

std::optional<Index> BigCount::to_index() const {
  const Whole& value = number_->value;
  if (value < 0 || value > std::numeric_limits<Index>::max()) return std::nullopt;
  return value.convert_to<Index>();
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
