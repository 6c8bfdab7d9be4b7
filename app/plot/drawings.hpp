#pragma once

#include <filesystem>
#include <span>
#include <string>

// What `ci-solve plot` leaves in a folder, and how it goes when the results there are replaced.
namespace cisolve::app {

inline constexpr const char* kReport = "report.html";
inline constexpr const char* kPictures = "plots";  // the folder of the pictures, beside the report

/// Removes the report and the pictures of results that are no longer there. What else lies there is
/// somebody else's and stays.
void remove_drawings(const std::filesystem::path& folder);

/// Removes those pictures of earlier results that are not among the ones just drawn.
void remove_other_pictures(const std::filesystem::path& pictures,
                           std::span<const std::string> drawn);

}  // namespace cisolve::app
