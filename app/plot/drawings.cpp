#include "app/plot/drawings.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;

// Names of all figures; files with other names are foreign.
constexpr const char* kNames[] = {"convergence", "spectrum", "weights",  "memory",      "pattern",
                                  "times",       "rates",    "energies", "correlations"};

/// Whether it is a regular file, no link, that ends as a report does.
bool is_report(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(file, error))) return false;
  constexpr std::streamoff most = 120;  // a version is short
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream.tellg();
  stream.seekg(std::max<std::streamoff>(0, size - most));
  const std::string end{std::istreambuf_iterator<char>(stream), {}};
  return end.ends_with(kReportEnd) && end.find(kReportSign) != std::string::npos;
}

bool is_folder(const fs::path& name) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(name, error));
}

}  // namespace

void remove_other_pictures(const fs::path& pictures, std::span<const std::string> drawn) {
  std::error_code ignored;
  for (const char* name : kNames) {
    if (std::ranges::find(drawn, name) != drawn.end()) continue;
    for (const char* kind : {".svg", ".png"})
      fs::remove(pictures / (std::string(name) + kind), ignored);
  }
}

void remove_drawings(const fs::path& folder, bool force) {
  if (!force && !is_report(folder / kReport)) return;
  std::error_code ignored;
  fs::remove(folder / kReport, ignored);
  if (!is_folder(folder / kPictures)) return;
  remove_other_pictures(folder / kPictures, {});
  fs::remove(folder / kPictures, ignored);  // fails if the folder is not empty
}

}  // namespace cisolve::app
