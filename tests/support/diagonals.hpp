#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/matrices.hpp"

namespace cisolve::test {

/// Full diagonals with these column-minus-row shifts, within the shape; of a symmetric matrix,
/// those below the main diagonal mirror those above.
inline Elements diagonal_elements(const sparse::MatrixShape& shape,
                                  const std::vector<Index>& shifts, unsigned seed) {
  Elements matrix{shape, {}};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  for (const Index shift : shifts)
    for (Index row = std::max<Index>(0, -shift); row < std::min(shape.rows, shape.columns - shift);
         ++row) {
      const double drawn = value(random);
      matrix.at[{row, row + shift}] = drawn;
      if (shape.symmetric) matrix.at[{row + shift, row}] = drawn;
    }
  return matrix;
}

/// All diagonals from -lower to upper.
inline std::vector<Index> band(Index lower, Index upper) {
  std::vector<Index> shifts;
  for (Index shift = -lower; shift <= upper; ++shift) shifts.push_back(shift);
  return shifts;
}

/// More shifts than one thread block receives at once, in several windows, one of them of one
/// shift.
inline std::vector<Index> band_and_clusters() {
  std::vector<Index> shifts = band(150, 150);
  for (Index shift = 300; shift < 307; ++shift) shifts.push_back(shift);
  shifts.push_back(-500);
  return shifts;
}

struct NamedShifts {
  std::string name;
  Index rows;
  Index columns;
  std::vector<Index> shifts;
};

/// Sets of diagonals at which formats break: wide, narrow, none, one, all, far apart, at the
/// corners; row counts around the size of a thread block; wide, tall and tiny shapes.
inline std::vector<NamedShifts> awkward_diagonals() {
  return {
      {"none", 7, 7, {}},
      {"of one element", 1, 1, {0}},
      {"the main one", 129, 129, {0}},
      {"corners", 90, 90, {-89, 89}},
      {"a corner and the main one", 33, 33, {0, 32}},
      {"far apart", 1030, 1030, {-1000, -517, -33, 1, 250, 999}},
      {"narrow", 513, 513, band(1, 1)},
      {"wide", 300, 300, band(120, 77)},
      {"a band and clusters", 800, 800, band_and_clusters()},
      {"a band of a wide shape", 530, 900, band(5, 300)},
      {"upper triangle", 40, 40, band(0, 39)},
      {"Hessenberg", 41, 41, band(1, 40)},
      {"all", 37, 37, band(36, 36)},
      {"all of an even size", 36, 36, band(35, 35)},
      {"below the main one", 600, 600, {-5, -64, -300}},
      {"wide shape", 20, 90, {-19, -3, 0, 7, 60, 89}},
      {"tall shape", 700, 30, {-699, -400, -31, -30, -29, 0, 5, 29}},
      {"one row", 1, 50, {0, 3, 49}},
      {"one column", 50, 1, {0, -3, -49}},
  };
}

}  // namespace cisolve::test
