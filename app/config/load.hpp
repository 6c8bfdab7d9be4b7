#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/config/configuration.hpp"

namespace cisolve::app {

/// A value given on the command line; it overrides the file's.
struct Override {
  std::string origin;  // how the user gave it: "--set" or "--rows"
  std::string key;
  std::string value;
  bool yaml = false;  // --set takes YAML; an option's value is taken as it is
};

/// Splits "KEY=VALUE". Throws ErrorKind::usage when it has no '='.
Override parse_override(const std::string& text);

/// Reads, checks and completes a configuration. Throws ErrorKind::configuration with file and line.
Configuration load_configuration(const std::string& file, const std::vector<Override>& overrides);

/// Configuration from the command line alone. `source` applies unless an override names another
/// one.
Configuration make_configuration(job::ProblemSource source, const std::vector<Override>& overrides);

/// Parses a configuration that is not in a file; relative paths refer to the working directory.
/// `in_memory` is the source if the text names none; without it the text must name one.
Configuration configuration_of_text(const std::string& text, const std::string& origin,
                                    std::optional<job::ProblemSource> in_memory,
                                    const std::vector<Override>& overrides);

/// Configuration of one sweep point: `chosen[i]` is the index of the value of axis i. Throws
/// ErrorKind::configuration if a value is invalid for its key.
Configuration at_sweep_point(const Configuration& configuration,
                             std::span<const std::size_t> chosen);

}  // namespace cisolve::app
