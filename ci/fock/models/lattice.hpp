#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Regular lattices and their bonds.
namespace cisolve::ci {

/// Lattice types. Cells have two sites for honeycomb, three for kagome, else one. Lattice vectors
/// of the triangular family (triangular, honeycomb, kagome) meet at 60 degrees.
enum class LatticeType { square, cubic, triangular, honeycomb, kagome };

/// A block of `columns` x `rows` x `layers` cells: rows = 1 is a chain, rows = 2 a ladder. Site s
/// of cell (x, y, z) has number s + (x + columns * (y + rows * z)) * cell_sites(). A periodic
/// direction has at least three cells (two for cells of several sites): with fewer its bonds would
/// be doubled.
struct LatticeShape {
  int columns = 0;
  int rows = 1;
  bool periodic_columns = false;
  bool periodic_rows = false;
  LatticeType net = LatticeType::square;
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

/// Throws ErrorKind::configuration for an invalid shape.
void require_shape(const LatticeShape& shape);

/// Pairs of sites, each once, at the nearest (shell 1) or next-nearest (shell 2) distance, by
/// minimum image. Throws ErrorKind::configuration for an invalid shape.
std::vector<Bond> bonds(const LatticeShape& shape, int shell = 1);

/// Position of a site in units of the lattice vectors.
using Place = std::array<double, 3>;
Place place_of(const LatticeShape& shape, int site);

/// The site at a place, modulo the periodic directions; -1 for none.
int site_at(const LatticeShape& shape, const Place& place);

}  // namespace cisolve::ci
