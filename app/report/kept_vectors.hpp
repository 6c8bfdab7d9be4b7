#pragma once

#include <optional>
#include <string>

#include "app/json/json.hpp"
#include "base/types.hpp"

namespace cisolve::app {

using base::Index;

/// Limit of output.vectors: auto; half of the free disk space if that is less.
inline constexpr Index kMostKept = Index{1} << 30;

/// Whether vectors, and the determinants to which they belong, are kept.
struct KeptVectors {
  bool kept = false;
  Index bytes = 0;   // size of all vectors before compression
  std::string note;  // why auto leaves them out
};

/// `wanted`: output.vectors, none for auto; `free`: free bytes of the target disk, none if unknown.
KeptVectors kept_vectors(std::optional<bool> wanted, Index bytes, std::optional<Index> free);

/// The member `output` of run.json.
Json output_record(const KeptVectors& vectors);

}  // namespace cisolve::app
