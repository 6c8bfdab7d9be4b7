#pragma once

#include <string>
#include <vector>

#include "app/config/configuration.hpp"

namespace cisolve::app {

/// A configuration file for people: what differs from the defaults and the keys `shown` stand as
/// they are, all others that the problem knows as comments with their defaults; each with its help.
/// Without its mark of a comment, each of these lines is one of the configuration.
std::string commented_configuration(const Configuration& configuration,
                                    const std::vector<std::string>& shown);

}  // namespace cisolve::app
