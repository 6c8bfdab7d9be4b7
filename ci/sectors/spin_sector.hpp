#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ci/words/spin_words.hpp"

namespace cisolve::ci {

/// Real and orthogonal, of one or two dimensions; row by row, the rest 0.
struct SectorMatrix {
  std::array<double, 4> of = {1, 0, 0, 0};
  constexpr double operator()(int row, int column) const { return of[2 * row + column]; }
};

/// Place i goes to to[i], and all spins turn over where it flips. Electrons are exchanged, up with
/// down, by the places alone.
struct SpinOperation {
  std::vector<int> to;
  bool flips = false;
  bool operator==(const SpinOperation&) const = default;
};

/// An operation, and what it does to the states of a sector.
struct SectorOperation {
  SpinOperation operation;
  SectorMatrix matrix;
};

/// A group of operations and one of its real representations; its states are those of the first row
/// of that.
struct SpinSector {
  int dimension = 1;
  bool of_electrons = false;  // whose order tells the sign of what an operation makes of them
  std::vector<SectorOperation> operations;

  int places() const { return static_cast<int>(operations.front().operation.to.size()); }
};

/// All products of some operations; the dimension is that of their matrices. Throws
/// Fault::configuration where the matrices of two products differ that are the same operation: then
/// there are no states with all that is asked for.
SpinSector make_sector(const SpinModel& model, int dimension,
                       const std::vector<SectorOperation>& generators);

/// How many states a sector has among the words of a filling: by its characters and the words that
/// each operation leaves as they are, counted from its cycles.
double sector_dimension(const SpinSector& sector, const Filling& filling);

}  // namespace cisolve::ci
