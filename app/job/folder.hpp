#pragma once

#include <filesystem>
#include <string_view>

namespace cisolve::app {

/// Makes a folder and those it lies in; Fault::cannot_write with the remedy where it cannot.
void make_folder(const std::filesystem::path& path,
                 std::string_view remedy = "choose another output.directory");

}  // namespace cisolve::app
