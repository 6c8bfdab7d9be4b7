#include "io/orbitals/cube.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/loops.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace cisolve::io {
namespace {

constexpr int kNumbersInLine = 6;
constexpr int kDecimals = 8;

std::string atom_count_and_origin(const ci::GaussianBasis& basis, const CubeGrid& grid) {
  std::string text = std::to_string(basis.nuclei.size());
  for (const double place : grid.origin) text += base::concat(" ", base::fixed(place, kDecimals));
  return text + "\n";
}

std::string header_text(const ci::GaussianBasis& basis, std::string_view title,
                        const CubeGrid& grid) {
  std::string text = base::concat(title, "\natomic units; x outermost, z innermost\n");
  text += atom_count_and_origin(basis, grid);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    text += std::to_string(grid.points[axis]);
    for (std::size_t x = 0; x < 3; ++x)
      text += base::concat(" ", base::fixed(x == axis ? grid.spacing : 0, kDecimals));
    text += '\n';
  }
  for (const ci::Nucleus& nucleus : basis.nuclei) {
    text += base::concat(nucleus.atomic_number, " ", base::fixed(nucleus.charge, 6));
    for (const double place : nucleus.place)
      text += base::concat(" ", base::fixed(place, kDecimals));
    text += '\n';
  }
  return text;
}

/// A line along z, wrapped as Gaussian does.
std::string line_text(std::span<const double> line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool ends = (i + 1) % kNumbersInLine == 0 || i + 1 == line.size();
    text += base::concat(line[i] < 0 ? " " : "  ", base::scientific(line[i], kDecimals),
                         ends ? "\n" : "");
  }
  return text;
}

}  // namespace

CubeGrid grid_around(const ci::GaussianBasis& basis, double spacing, double margin) {
  CubeGrid grid{.spacing = std::round(spacing * 1e8) / 1e8};  // as it is printed
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low = basis.nuclei.front().place[axis];
    double high = low;
    for (const ci::Nucleus& nucleus : basis.nuclei) {
      low = std::min(low, nucleus.place[axis]);
      high = std::max(high, nucleus.place[axis]);
    }
    const double steps = std::ceil((high - low + 2 * margin) / grid.spacing - 1e-9);
    grid.points[axis] = static_cast<int>(std::min(steps, 2e9)) + 1;
    const double start = 0.5 * (low + high) - 0.5 * grid.spacing * (grid.points[axis] - 1);
    grid.origin[axis] = std::round(start * 1e8) / 1e8;
  }
  return grid;
}

void require_sensible(const CubeGrid& grid, std::string_view keys) {
  const double size = 1.0 * grid.points[0] * grid.points[1] * grid.points[2];
  if (size > static_cast<double>(kMostCubePoints))
    base::fail(base::ErrorKind::configuration, keys, ": a grid of ", grid.points[0], " x ",
               grid.points[1], " x ", grid.points[2], " points; expected at most ",
               base::grouped(kMostCubePoints), ": a larger spacing or a smaller margin");
}

void write_cube(OutputFile& file, const ci::GaussianBasis& basis, std::string_view title,
                const CubeGrid& grid, const base::SmallMatrix& orbitals,
                std::span<const double> weights, CubeValues values, const base::Backend& host) {
  const auto line = static_cast<std::size_t>(grid.points[2]);
  const auto lines = static_cast<std::size_t>(grid.points[1]);
  const auto of_orbitals = static_cast<std::size_t>(orbitals.columns()) * line;
  const auto text_bytes = line * (kDecimals + 9);
  const Index bytes = static_cast<Index>(lines * text_bytes) +
                      host.threads() * static_cast<Index>((of_orbitals + line) * sizeof(double));
  host.host_memory().require(bytes, "a plane of a cube file");
  const ci::OrbitalValues evaluated(basis, orbitals);
  file.append(header_text(basis, title, grid));
  std::vector<std::string> texts(lines);
  for (int plane = 0; plane < grid.points[0]; ++plane) {
    base::for_each_chunk(static_cast<Index>(lines), 1, host, [&](Index first, Index last) {
      std::vector<double> found(of_orbitals);
      std::vector<double> sums(line);
      for (Index j = first; j < last; ++j) {
        evaluated.on_line({grid.origin[0] + grid.spacing * plane,
                           grid.origin[1] + grid.spacing * static_cast<double>(j), grid.origin[2]},
                          grid.spacing, grid.points[2], found);
        std::ranges::fill(sums, 0);
        for (int k = 0; k < orbitals.columns(); ++k)
          for (std::size_t i = 0; i < line; ++i) {
            const double value = found[static_cast<std::size_t>(k) * line + i];
            sums[i] += values == CubeValues::orbital
                           ? value
                           : weights[static_cast<std::size_t>(k)] * value * value;
          }
        texts[static_cast<std::size_t>(j)] = line_text(sums);
      }
    });
    for (const std::string& text : texts) file.append(text);
  }
}

}  // namespace cisolve::io
