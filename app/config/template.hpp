#pragma once

#include <string>
#include <vector>

#include "app/config/configuration.hpp"

namespace cisolve::app {

/// A commented configuration file: keys that differ from their defaults and the keys `shown` are
/// active; all other keys of this kind of problem are commented out with their defaults. Each has
/// its help text. Uncommenting any of these lines gives a valid configuration.
std::string commented_configuration(const Configuration& configuration,
                                    const std::vector<std::string>& shown);

}  // namespace cisolve::app
