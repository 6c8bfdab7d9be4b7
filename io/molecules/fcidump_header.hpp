#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace cisolve::io {

using base::Index;

/// A number of the header and its place.
struct FcidumpNumber {
  Index value;
  const char* where;
};

/// Contents of the namelist &FCI, as written.
struct FcidumpHeader {
  bool present = false;
  std::optional<FcidumpNumber> orbitals;
  std::optional<FcidumpNumber> electrons;
  std::optional<FcidumpNumber> ms2;
  std::optional<FcidumpNumber> irrep;
  bool spin_dependent = false;  // IUHF=1 or UHF=.TRUE.
  bool blocks = false;          // IUHF=1
  std::vector<Index> symmetries;
  const char* symmetries_at = nullptr;
  /// Place of a non-zero angular momentum (SYMLZ) or wave vector (KSYM) of an orbital, or null.
  const char* momenta_at = nullptr;
  std::string point_group;           // PNTGRP, or empty
  std::vector<std::string> ignored;  // keys without meaning here
  const char* body = nullptr;        // begins after the header, at the start of a line
};

/// Throws TextProblem. A text without a header is returned as body.
FcidumpHeader parse_fcidump_header(std::string_view text);

}  // namespace cisolve::io
