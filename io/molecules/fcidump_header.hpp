#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace cisolve::io {

using base::Index;

/// A number of the header and where it stands.
struct FcidumpNumber {
  Index value;
  const char* where;
};

/// What stands between &FCI and its end, taken word for word.
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
  /// Where SYMLZ or KSYM gives an orbital an angular momentum or a wave vector other than 0.
  const char* momenta_at = nullptr;
  std::string point_group;           // as PNTGRP has it, empty where it is not given
  std::vector<std::string> ignored;  // keys that say nothing here
  const char* body = nullptr;        // the text after the header, at the beginning of a line
};

/// Throws TextProblem. A text without a header is all body.
FcidumpHeader parse_fcidump_header(std::string_view text);

}  // namespace cisolve::io
