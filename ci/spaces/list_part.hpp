#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/backend.hpp"
#include "ci/strings/determinant.hpp"

namespace cisolve::ci {

using base::Index;

/// Which of some different strings each of many is. They are numbered as they come.
class NumberedStrings {
 public:
  NumberedStrings() : slots_(64, kFree) {}

  void add(const String& string) { of_.push_back(number_of(string)); }
  /// Of a string, which is among strings() from then on.
  StringNumber number_of(const String& string);
  /// From numbers among strings() to numbers among all of them, which ascend.
  void renumber(const std::vector<String>& all);

  const std::vector<String>& strings() const { return strings_; }
  std::vector<String> take_strings() { return std::move(strings_); }
  const std::vector<StringNumber>& of() const { return of_; }
  Index bytes() const;

 private:
  static constexpr StringNumber kFree = -1;

  void take(const String& string, std::size_t& slot);

  std::vector<String> strings_;
  std::vector<StringNumber> slots_;  // a power of two, at most half of them taken
  std::vector<StringNumber> of_;
  StringNumber last_ = 0;
};

/// Some determinants of a list, one after the other, by the numbers of their strings.
struct ListPart {
  void add(const Determinant& determinant) {
    alphas.add(determinant.alpha);
    betas.add(determinant.beta);
  }
  Index size() const { return std::ssize(alphas.of()); }
  /// Counts it as it is in the memory of the host, until it goes.
  void hold(const base::Backend& host) {
    held.emplace(host.host_memory(), alphas.bytes() + betas.bytes(),
                 "a part of a list of determinants");
  }

  NumberedStrings alphas;
  NumberedStrings betas;
  std::optional<base::Reservation> held;
};

}  // namespace cisolve::ci
