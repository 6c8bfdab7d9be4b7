#pragma once

#include <filesystem>
#include <optional>

#include "app/json/json.hpp"

namespace cisolve::app {

/// The record that a job or a sweep left in its folder, the newer one where there are both.
std::optional<std::filesystem::path> find_record(const std::filesystem::path& folder);

/// Whether a JSON file is to be taken for a record, good or bad: it is no configuration, whose keys
/// name a problem and no program.
bool is_record(const std::filesystem::path& file);

/// Throws Fault::bad_input unless it is a record of this program.
Json read_record(const std::filesystem::path& file);

}  // namespace cisolve::app
