#pragma once

#include <filesystem>

#include "app/plot/script.hpp"

namespace cisolve::app {

/// Throws ErrorKind::backend with the remedy if gnuplot is not installed.
void require_gnuplot();

/// Draws NAME.svg and NAME.png in an existing folder. Each file appears complete or not at all;
/// gnuplot receives no file name and opens no file.
void draw(const Figure& figure, const std::filesystem::path& folder, bool force);

}  // namespace cisolve::app
