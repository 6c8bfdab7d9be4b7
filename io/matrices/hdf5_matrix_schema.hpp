#pragma once

#include <string_view>

#include "base/types.hpp"

namespace cisolve::io::schema {

inline constexpr std::string_view kFormat = "ci-solve matrix";
inline constexpr base::Index kVersion = 1;
inline constexpr std::string_view kOrdering =
    "rows ascending, columns ascending within a row, both counted from 0";

}  // namespace cisolve::io::schema
