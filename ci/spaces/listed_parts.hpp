#pragma once

#include <map>
#include <vector>

#include "ci/spaces/space.hpp"

namespace cisolve::ci {

/// Gathers the parts of a space from alpha strings with the betas of each. Alpha strings that go
/// with the same betas share a list.
class ListedParts {
 public:
  /// `betas`: all that there are, ascending.
  ListedParts(int orbitals, std::vector<String> betas);

  StringNumber number_of(const String& beta) const;

  /// The alphas come in ascending order, the numbers of their betas too, and no list is empty.
  void add(const String& alpha, const std::vector<StringNumber>& betas);

  Space::Parts take() { return std::move(parts_); }

 private:
  Space::Parts parts_;
  std::map<std::vector<StringNumber>, StringNumber> known_;
};

}  // namespace cisolve::ci
