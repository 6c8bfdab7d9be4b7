#pragma once

#include <string>
#include <string_view>

#include "app/config/configuration.hpp"

namespace cisolve::app {

/// Everything that determines a job's matrix, one line each: digests of its files instead of their
/// names, keys of problem and space; not storage or solver.
std::string input_identity(const Configuration& configuration);

inline constexpr std::string_view kIdentityBegin = "version: ";

/// Everything that determines a sweep: the values of its axes and every key but those of the
/// output. Begins with kIdentityBegin.
std::string configuration_identity(const Configuration& configuration);

/// The first lines in which two identities differ, for people.
std::string differences(std::string_view then, std::string_view now);

}  // namespace cisolve::app
