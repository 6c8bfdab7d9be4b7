#pragma once

#include <string>
#include <vector>

#include "app/commands/invocation.hpp"
#include "app/config/configuration.hpp"
#include "base/backend.hpp"

// Generates configurations for problems that come without one.
namespace cisolve::app {

/// A generated configuration, and a description of the problem for display.
struct GeneratedConfiguration {
  Configuration configuration;
  std::string about;
};

/// Configuration for a file of integrals or of a matrix: full CI below 2 million determinants, else
/// CISD; the lowest state of a symmetric matrix, the product of a general one. Command-line
/// settings apply, memory included. Throws ErrorKind::bad_input if states of a general matrix are
/// requested.
GeneratedConfiguration configuration_for_file(const Invocation& call);

/// Applies the defaults of configuration_for_file() to a lattice, or to integrals named in the
/// configuration.
GeneratedConfiguration configuration_for_determinants(Configuration configuration);

/// Host backend that reads a problem before its job starts, within the job's memory limit; uses no
/// device.
base::Backend host_of(const Configuration& configuration);

/// Configuration with `source` and the command line's settings; the file is stored under `key`, if
/// not null.
Configuration configuration_for_source(job::ProblemSource source, const char* key,
                                       const Invocation& call);

/// Keys that a generated configuration lists whatever their values.
std::vector<std::string> shown_keys(const Configuration& configuration);

/// Whether a file holds integrals or a matrix, by its name or by how it begins.
bool is_problem_file(const std::string& path);

/// Whether a file holds integrals in a text, by its name or by how it begins.
bool holds_integrals(const std::string& path);

/// Whether a path is named as configurations are.
bool is_named_as_configuration(const std::string& path);

}  // namespace cisolve::app
