#pragma once

#include <filesystem>
#include <optional>

#include "app/json/json.hpp"

namespace cisolve::app {

/// The record in a folder of results, run.json or sweep.json; the newer one if there are both.
std::optional<std::filesystem::path> find_record(const std::filesystem::path& folder);

/// Whether a JSON file is treated as a record, valid or not, rather than as a configuration, which
/// has `problem` but no `program`.
bool is_record(const std::filesystem::path& file);

/// Throws ErrorKind::bad_input unless it is a record of this program.
Json read_record(const std::filesystem::path& file);

}  // namespace cisolve::app
