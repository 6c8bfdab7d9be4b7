#pragma once

#include <string>

#include "app/config/configuration.hpp"
#include "base/error.hpp"

// Locates errors of a configuration in its file or on the command line.
namespace cisolve::app {

/// Replaces the configuration's origin at the start of a message by the place of the first given
/// key that the message names.
std::string with_place_of_key(const std::string& message, const Configuration& configuration);

/// Rethrows `error` from a handler; an error of the configuration gets the place of its key.
[[noreturn]] void throw_with_place(const base::Error& error, const Configuration& configuration);

}  // namespace cisolve::app
