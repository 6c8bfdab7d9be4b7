#include "app/plot/drawings.hpp"

#include <algorithm>

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;

// Of every figure that there is; files with other names are none of ours.
constexpr const char* kNames[] = {"convergence", "spectrum", "weights",  "memory",      "pattern",
                                  "times",       "rates",    "energies", "correlations"};

}  // namespace

void remove_other_pictures(const fs::path& pictures, std::span<const std::string> drawn) {
  std::error_code ignored;
  for (const char* name : kNames) {
    if (std::ranges::find(drawn, name) != drawn.end()) continue;
    for (const char* kind : {".svg", ".png"})
      fs::remove(pictures / (std::string(name) + kind), ignored);
  }
}

void remove_drawings(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / kReport, ignored);
  remove_other_pictures(folder / kPictures, {});
  fs::remove(folder / kPictures, ignored);  // which a folder that is not empty survives
}

}  // namespace cisolve::app
