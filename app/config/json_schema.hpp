#pragma once

#include <string>

// What editors and readers see of the configuration, read off the table of its keys.
namespace cisolve::app {

/// A JSON Schema (draft 7), by which editors complete and check a configuration as it is typed.
std::string configuration_json_schema();

/// The reference page, in Markdown.
std::string configuration_reference();

}  // namespace cisolve::app
