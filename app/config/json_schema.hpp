#pragma once

#include <string>

// JSON Schema and reference page, generated from the table of keys.
namespace cisolve::app {

/// A JSON Schema (draft 7), by which editors complete and check a configuration as it is typed.
std::string configuration_json_schema();

/// The reference page, in Markdown.
std::string configuration_reference();

}  // namespace cisolve::app
