#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ci/integrals/integrals.hpp"
#include "ci/integrals/point_group.hpp"

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

/// An integral of this size that a numbering forbids shows that the file has the other numbering.
/// Smaller ones may be the rounding of whatever made them.
inline constexpr double kTellingIntegral = 1e-6;

/// What the irreps of orbitals are called, and who says so.
struct IrrepNames {
  std::string numbering;           // of the file, "Molpro's numbering, from 1"; empty: no symmetry
  bool assumed = false;            // the numbering, and with it the names: nothing states it
  std::string group;               // D2h or one of its subgroups; empty where it is not known
  std::vector<std::string> names;  // by XOR labels; none where the group is not known
  std::vector<int> orbitals = {};  // their XOR labels, those of all that the file has
  bool found = false;              // from the integrals: the file names none
  int left_out = 0;                // symmetries that were found beyond those of 8 irreps
  double neglected = 0;            // the largest integral that the labels forbid
};

/// The meaning of a file's orbital symmetries.
struct SymmetryReading {
  std::vector<int> labels;   // XOR labels, 0 to 7; all 0 where symmetry is off
  std::string convention;    // "1-based", "0-based", "linear molecule", "none"
  std::string warning;       // why symmetry is off, where the file meant it to be on
  std::string refusal = {};  // where the claimed numbering does not fit, but the other one does
  IrrepNames irreps = {};
  std::vector<int> relabelled = {};  // the labels by the file's own; empty: they are the file's
};

/// Knowledge of orbital symmetries besides their numbers.
struct SymmetryClaims {
  std::string_view group = {};                   // a point group's name; empty: not known
  std::optional<IrrepNumbering> numbering = {};  // none: to be told from numbers and integrals
};

/// Maps orbital symmetries to XOR labels. Numbers of Molpro are 1 to 8, those of PySCF 0 to 7; all
/// 0 is no symmetry; of 10 m + d, the higher irreps of linear molecules and atoms, d alone counts,
/// their label in the largest Abelian subgroup.
///
/// A numbering fits if each number is in its range (that of the group's irreps, where the group is
/// known) and every integral is totally symmetric. Where one fits, it is taken; where both do,
/// Molpro's is assumed. Where none fits, symmetry is off and the warning says why.
///
/// The group is the claimed one, or D2h where numbers are of no other group. PySCF also writes 1,
/// 4, 6 and 7 (Ag and B1g to B3g) of D2h for A1, A2, B1 and B2 of Coov in Molpro's numbering:
/// these numbers alone tell no group, and with C2v claimed they are those of C2v. Where the group
/// is known, labels are Molpro's, whatever the numbering of the file; else they are the file's.
SymmetryReading read_orbital_symmetry(std::span<const Index> symmetries, const Integrals& integrals,
                                      const SymmetryClaims& claims = {});

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
