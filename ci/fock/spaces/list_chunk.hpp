#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/backend.hpp"
#include "ci/fock/strings/determinant.hpp"

namespace cisolve::ci {

using base::Index;

/// Dictionary encoding of a sequence of strings: distinct strings are numbered in order of first
/// occurrence (open addressing).
class StringDictionary {
 public:
  StringDictionary() : slots_(64, kFree) {}

  void add(const String& string) { of_.push_back(number_of(string)); }
  /// Returns the number of `string`, adding it to strings() if it is new.
  StringNumber number_of(const String& string);
  /// Replaces numbers within strings() by numbers within `all`, which is ascending and contains all
  /// of them.
  void renumber(const std::vector<String>& all);

  const std::vector<String>& strings() const { return strings_; }
  std::vector<String> take_strings() { return std::move(strings_); }
  const std::vector<StringNumber>& of() const { return of_; }
  Index bytes() const;

 private:
  static constexpr StringNumber kFree = -1;

  void take(const String& string, std::size_t& slot);

  std::vector<String> strings_;
  std::vector<StringNumber> slots_;  // a power of two, at most half of them used
  std::vector<StringNumber> of_;
  StringNumber last_ = 0;
};

/// A contiguous part of a list of determinants, dictionary-encoded.
struct ListChunk {
  void add(const Determinant& determinant) {
    alphas.add(determinant.alpha);
    betas.add(determinant.beta);
  }
  Index size() const { return std::ssize(alphas.of()); }
  /// Reserves its current size in the host's memory budget for its lifetime.
  void reserve_in_budget(const base::Backend& host) {
    held.emplace(host.host_memory(), alphas.bytes() + betas.bytes(),
                 "a part of a list of determinants");
  }

  StringDictionary alphas;
  StringDictionary betas;
  std::optional<base::Reservation> held;
};

}  // namespace cisolve::ci
