#pragma once

#include <string>
#include <vector>

#include "app/commands/invocation.hpp"
#include "app/config/configuration.hpp"
#include "base/backend.hpp"

// Problems that come without a configuration: what is solved of them, and how.
namespace cisolve::app {

/// A configuration for a problem, and what was learnt of the problem, for people.
struct Draft {
  Configuration configuration;
  std::string about;
};

/// The job of a file of integrals or of a matrix: full CI where that is no great work, else CISD;
/// the lowest state of a symmetric matrix, the product of another. What the command line says
/// holds, the memory too; Fault::bad_input where it asks for states of another matrix.
Draft draft_of_file(const Invocation& call);

/// The same of a lattice or of integrals that are named already.
Draft molecular_draft(Configuration configuration);

/// What reads a problem before its job begins: within the memory that the job may have, and on no
/// device.
base::Backend host_of(const Configuration& configuration);

/// With `source` and what the command line says; `key` receives the file, where there is one.
Configuration made_for(job::ProblemSource source, const char* key, const Invocation& call);

/// The keys that a reader of such a configuration wants to see, whatever their values.
std::vector<std::string> shown_keys(const Configuration& configuration);

/// Whether a file holds integrals or a matrix, by its name or by how it begins.
bool is_problem_file(const std::string& path);

/// Whether a file holds integrals in a text, by its name or by how it begins.
bool holds_integrals(const std::string& path);

/// Whether a path is named as configurations are.
bool is_named_as_configuration(const std::string& path);

}  // namespace cisolve::app
