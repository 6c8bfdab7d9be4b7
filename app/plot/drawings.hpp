#pragma once

#include <filesystem>
#include <span>
#include <string>

// Files that `ci-solve plot` writes, and their removal when the results are replaced.
namespace cisolve::app {

inline constexpr const char* kReport = "report.html";
inline constexpr const char* kPictures = "plots";  // the folder of the figures, next to the report

/// End of a report, before and after the version, by which it is recognised.
inline constexpr const char* kReportSign = "<p>Made by ci-solve ";
inline constexpr const char* kReportEnd = ".</p>\n</body>\n</html>\n";

/// Removes the report and pictures of results that no longer exist, if this program wrote the
/// report, or with `force` by name. Other files stay.
void remove_drawings(const std::filesystem::path& folder, bool force);

/// Removes those pictures of earlier results that are not among the ones just drawn.
void remove_other_pictures(const std::filesystem::path& pictures,
                           std::span<const std::string> drawn);

}  // namespace cisolve::app
