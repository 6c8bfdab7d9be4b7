#pragma once

#include <array>
#include <string_view>

#include "base/backend.hpp"
#include "ci/fock/basis/orbital_values.hpp"
#include "io/files/output_file.hpp"

namespace cisolve::io {

/// A grid of points parallel to the axes.
struct CubeGrid {
  std::array<double, 3> origin{};  // in bohr
  std::array<int, 3> points{};
  double spacing = 0;  // in bohr

  Index size() const { return Index{points[0]} * points[1] * points[2]; }
};

inline constexpr Index kMostCubePoints = 1'000'000'000;

/// The grid of that spacing around all nuclei, with `margin` bohr beside the outermost ones.
CubeGrid grid_around(const ci::GaussianBasis& basis, double spacing, double margin);

/// Throws ErrorKind::configuration for a grid of more points than kMostCubePoints; `keys` names
/// what sets it.
void require_sensible(const CubeGrid& grid, std::string_view keys);

/// Quantity at each point of a cube file.
enum class CubeValues {
  orbital,  // the only orbital
  density,  // sum_k weights_k |orbital_k|^2
};

/// Appends a cube file of Gaussian: title, atoms, grid and the values of `orbitals`, functions of
/// the basis by orbitals, plane by plane; a plane is evaluated by the threads of `host`, within
/// its memory budget. `title` is one line. The caller commits the file.
void write_cube(OutputFile& file, const ci::GaussianBasis& basis, std::string_view title,
                const CubeGrid& grid, const base::SmallMatrix& orbitals,
                std::span<const double> weights, CubeValues values, const base::Backend& host);

}  // namespace cisolve::io
