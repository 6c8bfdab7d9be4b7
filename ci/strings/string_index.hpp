#pragma once

#include <span>

#include "base/array.hpp"
#include "ci/strings/string.hpp"

namespace cisolve::ci {

using base::Index;

/// Strings of one spin and a hash table by which each is found.
class StringIndex {
 public:
  StringIndex(std::span<const String> strings, const base::Backend& host);

  Index size() const { return strings_.size(); }
  const String& operator[](Index i) const { return strings_[i]; }
  /// -1 where it is not there.
  StringNumber find(const String& string) const;
  Index bytes() const { return strings_.bytes() + slots_.bytes(); }

 private:
  base::Array<String> strings_;
  base::Array<StringNumber> slots_;  // -1 where there is none
};

}  // namespace cisolve::ci
