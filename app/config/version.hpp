#pragma once

namespace cisolve::app {

inline constexpr const char* kVersion = CISOLVE_VERSION;

}  // namespace cisolve::app
