#pragma once

#include <string_view>

#include "base/types.hpp"

namespace cisolve::io::checkpoint_schema {

inline constexpr std::string_view kFormat = "ci-solve checkpoint";
inline constexpr base::Index kVersion = 1;
inline constexpr const char* kGroup = "checkpoint";

}  // namespace cisolve::io::checkpoint_schema
