#pragma once

#include <map>
#include <vector>

#include "ci/fock/spaces/space.hpp"

namespace cisolve::ci {

/// Builds Space::Parts from alpha strings and the beta strings of each. Alpha strings with equal
/// beta sets share a list.
class SpaceBuilder {
 public:
  /// `betas`: all beta strings, ascending.
  SpaceBuilder(int orbitals, std::vector<String> betas);

  StringNumber number_of(const String& beta) const;

  /// Call with ascending alpha strings; `betas` ascending and not empty.
  void add(const String& alpha, const std::vector<StringNumber>& betas);

  Space::Parts take() { return std::move(parts_); }

 private:
  Space::Parts parts_;
  std::map<std::vector<StringNumber>, StringNumber> known_;
};

}  // namespace cisolve::ci
