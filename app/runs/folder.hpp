#pragma once

#include <filesystem>
#include <string_view>

namespace cisolve::app {

/// Makes a folder and those it lies in; Fault::cannot_write with the remedy where it cannot.
void make_folder(const std::filesystem::path& path,
                 std::string_view remedy = "choose another output.directory");

/// The file appears whole or not at all.
void write_text_file(const std::filesystem::path& path, std::string_view text, bool force);

/// Removes what a killed program has left of files whose names begin with `prefix`.
void remove_partial_files(const std::filesystem::path& folder, std::string_view prefix = "");

}  // namespace cisolve::app
