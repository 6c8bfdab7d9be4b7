#pragma once

#include <filesystem>
#include <span>
#include <string>

// What `ci-solve plot` leaves in a folder, and how it goes when the results there are replaced.
namespace cisolve::app {

inline constexpr const char* kReport = "report.html";
inline constexpr const char* kPictures = "plots";  // the folder of the pictures, beside the report

/// The last lines of a report, by which it is known for one of ours: before and after the version.
inline constexpr const char* kReportSign = "<p>Made by ci-solve ";
inline constexpr const char* kReportEnd = ".</p>\n</body>\n</html>\n";

/// Removes the report and the pictures of results that are no longer there, if the report is one of
/// ours, or `force` allows it by their names. What else lies there is somebody else's and stays.
void remove_drawings(const std::filesystem::path& folder, bool force);

/// Removes those pictures of earlier results that are not among the ones just drawn.
void remove_other_pictures(const std::filesystem::path& pictures,
                           std::span<const std::string> drawn);

}  // namespace cisolve::app
