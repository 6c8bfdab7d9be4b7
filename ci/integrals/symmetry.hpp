#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ci/integrals/integrals.hpp"

namespace cisolve::ci {

/// Integrals above this size must be totally symmetric. What is neglected below it shifts an energy
/// in second order only, by less than 1e-12 for any number of integrals that fits a memory.
inline constexpr double kSymmetryTolerance = 1e-8;

/// An integral that labels forbid; orbitals from 0, the last two -1 for a one-electron integral.
struct BrokenIntegral {
  double size = 0;
  std::array<int, 4> orbitals{};
};

/// The largest integral whose orbitals' labels do not multiply to the totally symmetric 0; of size
/// 0 where all that are not 0 are totally symmetric.
BrokenIntegral largest_broken_integral(const Integrals& integrals, std::span<const int> labels);

/// What the irreps of orbitals are called, and who says so.
struct IrrepNames {
  std::string numbering;           // of the file, "Molpro's numbering, from 1"; empty: no symmetry
  std::string group;               // D2h or one of its subgroups; empty where it is not known
  std::vector<std::string> names;  // by XOR labels; none where the group is not known
  std::vector<int> orbitals = {};  // their XOR labels, those of all that the file has
  bool found = false;              // from the integrals: the file names none
  int left_out = 0;                // symmetries that were found beyond those of 8 irreps
  double neglected = 0;            // the largest integral that the labels forbid
};

/// What the orbital symmetries of a file mean.
struct SymmetryReading {
  std::vector<int> labels;  // XOR labels, 0 to 7; all 0 where symmetry is off
  std::string convention;   // "1-based", "0-based", "linear molecule", "none"
  std::string warning;      // why symmetry is off, where the file meant it to be on
  IrrepNames irreps = {};
};

/// Maps orbital symmetries of any of the usual conventions to XOR labels: 1 to 8 (any order of a
/// D2h subgroup in which label - 1 multiplies by XOR, Molpro's and Cotton's among them), 0 to 7,
/// all 0 for no symmetry, and 10 m + d for the higher irreps of linear molecules, which fall back
/// on d, their label in the largest Abelian subgroup. A convention is taken when every integral
/// agrees with it; where none does, symmetry is off and the warning says which integral broke it.
/// Irreps are named where the file gives the group, or its numbers are those of D2h alone.
SymmetryReading read_orbital_symmetry(std::span<const Index> symmetries, const Integrals& integrals,
                                      std::string_view group = {});

/// Whether any label is of another irrep than the totally symmetric one: none is where symmetry is
/// off.
bool has_symmetry(std::span<const int> labels);

/// The labels and all their products, ascending: 1, 2, 4 or 8 irreps.
std::vector<int> generated_labels(std::span<const int> labels);

/// An irrep as users see it, counted from 1: "6 B2g", or "6" where it has no name.
std::string irrep_text(const IrrepNames& irreps, int label);

/// "1 A1, 2 B1, 3 B2, 4 A2"
std::string irreps_text(const IrrepNames& irreps, std::span<const int> labels);

}  // namespace cisolve::ci
