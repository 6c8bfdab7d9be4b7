#pragma once

#include <string>
#include <string_view>

#include "app/config/configuration.hpp"

namespace cisolve::app {

/// All that the matrix of a job depends on, a line for each: the digests of its files rather than
/// their names, the keys of its problem and its space. How it is stored and solved is left out.
std::string input_identity(const Configuration& configuration);

inline constexpr std::string_view kIdentityBegin = "version: ";

/// The same for a sweep: all that its points depend on, the values of its axes and every key but
/// those of the output.
/// It begins with kIdentityBegin.
std::string sweep_identity(const Configuration& configuration);

/// The first lines in which two identities differ, for people.
std::string differences(std::string_view then, std::string_view now);

}  // namespace cisolve::app
