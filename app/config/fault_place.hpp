#pragma once

#include <string>

#include "app/config/configuration.hpp"
#include "base/error.hpp"

// Where in a file, or on the command line, stands what is wrong with a configuration.
namespace cisolve::app {

/// A message that begins with the origin of the configuration begins with the place of the first
/// key in it that was given instead.
std::string with_place_of_key(const std::string& message, const Configuration& configuration);

/// What is thrown in a handler of `error`: the same again, or a fault of the configuration with its
/// place.
[[noreturn]] void throw_with_place(const base::Error& error, const Configuration& configuration);

}  // namespace cisolve::app
