#pragma once

#include <optional>
#include <string>

#include "app/json/json.hpp"
#include "base/types.hpp"

namespace cisolve::app {

using base::Index;

/// What output.vectors: auto keeps in results.h5 at most; half of the room that is free where that
/// is less.
inline constexpr Index kMostKept = Index{1} << 30;

/// Whether vectors, and the determinants to which they belong, are kept.
struct KeptVectors {
  bool kept = false;
  Index bytes = 0;   // of all of them, before anything is packed
  std::string note;  // why auto leaves them out
};

/// `wanted`: output.vectors, none for auto; `free`: bytes where they would go, none if unknown.
KeptVectors kept_vectors(std::optional<bool> wanted, Index bytes, std::optional<Index> free);

/// As run.json has it.
Json output_record(const KeptVectors& vectors);

}  // namespace cisolve::app
