#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "io/molecules/molecular_problem.hpp"

namespace cisolve::io {

/// A user's statements about a dump. A value that the file gives as well must agree, except ms2,
/// which replaces that of the file, with a warning.
struct FcidumpOptions {
  std::optional<int> electrons = std::nullopt;
  std::optional<int> ms2 = std::nullopt;
  std::optional<int> orbitals = std::nullopt;
  std::optional<std::array<int, 2>> otherwise = std::nullopt;  // alpha and beta, if all are silent
  std::optional<ci::IrrepNumbering> numbering = std::nullopt;  // of ORBSYM
  bool has_one_electron = true;  // else the model has no one-electron integrals, nor may the file
};

/// What is known of a dump before its integrals are read.
struct FcidumpOutline {
  int orbitals = 0;
  int alpha = 0;
  int beta = 0;
  std::string dialect;
};

/// Its header says; where it leaves open what the lines mean, or is missing, they are looked
/// through.
FcidumpOutline outline_fcidump(const std::filesystem::path& path, const FcidumpOptions& options,
                               const base::Backend& host);

/// Reads the integrals of an FCIDUMP file of any of these dialects, and says which in `dialect`:
///
///   restricted             value i j k l, 1 to NORB
///   headerless             i j k l value (or value i j k l); the electrons come from the options,
///                          the orbitals from there or from the largest index, with a warning
///   spin blocks            IUHF=1: NORB spatial orbitals; aa, bb, ab, h_a, h_b, core, each block
///                          closed by 0.0 0 0 0 0
///   interleaved spins      UHF=.TRUE.: NORB spin orbitals, alpha odd, beta even
///   alpha then beta        either flag, indices up to 2 NORB: alpha 1..NORB, beta NORB+1..2NORB
///
/// An element may be given again, by any of its equal index orders: it must agree to 1e-10 of
/// max(1, |value|) or within one step of its last printed digit where that is finer than 1e-6; the
/// first value counts. Faults are Fault::bad_input as "file:line: what is wrong; what was
/// expected". Orbital energies are passed over, a missing core energy is 0 with a warning. A file
/// without any one-electron integral, as one that was cut, is refused unless the options say so;
/// so is one that ends in its one-electron integrals (IntegralStore::flaw_of_cut) and has no core
/// energy.
MolecularProblem read_fcidump(const std::filesystem::path& path, const FcidumpOptions& options,
                              const base::Backend& host);

}  // namespace cisolve::io
