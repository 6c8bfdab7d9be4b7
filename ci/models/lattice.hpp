#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Sites on regular nets, and which of them are neighbours.
namespace cisolve::ci {

/// How sites lie in a cell, and cells beside one another. A cell of a honeycomb has two sites, of a
/// kagome three, any other one; directions of the three nets of triangles meet at 60 degrees.
enum class Net { square, cubic, triangular, honeycomb, kagome };

/// Cells on a block of `columns` by `rows` by `layers`: rows = 1 is a chain, rows = 2 a ladder.
/// Site s of cell (x, y, z) has number s + (x + columns * (y + rows * z)) times the sites of a
/// cell. A periodic direction has at least three cells: with two, its bond would be there twice.
struct LatticeShape {
  int columns = 0;
  int rows = 1;
  bool periodic_columns = false;
  bool periodic_rows = false;
  Net net = Net::square;
  int layers = 1;
  bool periodic_layers = false;

  int cell_sites() const;
  int sites() const { return columns * rows * layers * cell_sites(); }
  std::array<int, 3> extents() const { return {columns, rows, layers}; }
  std::array<bool, 3> periodic() const {
    return {periodic_columns, periodic_rows, periodic_layers};
  }
};

struct Bond {
  int first;
  int second;
};

/// Throws Fault::configuration for a shape that is none.
void require_shape(const LatticeShape& shape);

/// Pairs of sites, each once, whose shortest distance is that of nearest neighbours (shell 1) or of
/// the next ones (2). Throws Fault::configuration for a shape that is none.
std::vector<Bond> bonds(const LatticeShape& shape, int shell = 1);

/// Where a site lies, in lengths of the cell's edges.
using Place = std::array<double, 3>;
Place place_of(const LatticeShape& shape, int site);

/// The site at a place, or at one that is the same by the periodic directions; -1 for none.
int site_at(const LatticeShape& shape, const Place& place);

}  // namespace cisolve::ci
