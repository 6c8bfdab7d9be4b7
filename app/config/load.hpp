#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/config/configuration.hpp"

namespace cisolve::app {

/// A value given on the command line, which wins over the file's.
struct Override {
  std::string origin;  // how the user gave it: "--set" or "--rows"
  std::string key;
  std::string value;
  bool yaml = false;  // --set takes YAML; an option's value is taken as it is
};

/// Splits "KEY=VALUE". Throws Fault::usage when it has no '='.
Override parse_override(const std::string& text);

/// Reads, checks and completes a configuration. Throws Fault::configuration with file and line.
Configuration load_configuration(const std::string& file, const std::vector<Override>& overrides);

/// The same without a file: everything comes from the command line. `source` holds unless an
/// override names another.
Configuration make_configuration(job::ProblemSource source, const std::vector<Override>& overrides);

/// A text that came from no file, such as what another program made: its paths are meant as seen
/// from where one is. `in_memory` is the source that holds where the text names none; without it
/// the text has to.
Configuration configuration_of_text(const std::string& text, const std::string& origin,
                                    std::optional<job::ProblemSource> in_memory,
                                    const std::vector<Override>& overrides);

/// The job of one point of a configuration's sweep: `chosen[i]` is the value of its axis i. Throws
/// Fault::configuration where a value is none of its key's.
Configuration at_sweep_point(const Configuration& configuration,
                             std::span<const std::size_t> chosen);

}  // namespace cisolve::app
