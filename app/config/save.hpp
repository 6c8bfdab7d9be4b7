#pragma once

#include <string>

#include "app/config/schema.hpp"

namespace cisolve::app {

/// Text that load_configuration() reads as the same job from any folder: every key that differs
/// from its default, file paths absolute.
std::string configuration_text(const Configuration& configuration);

/// The values of a sweep, one key a line, for the end of that text.
std::string axes_text(const Configuration& configuration);

/// A document node in one line; strings keep their quotes or get them if needed.
std::string exact_text(const DocumentNode& node);

/// A value as a configuration would write it, exactly: texts in quotes.
std::string exact_text(const ValueType& type, const Value& value);

/// Whether a key describes a source that is not the job's.
bool belongs_to_another_source(const Key& key, job::ProblemSource source);

}  // namespace cisolve::app
