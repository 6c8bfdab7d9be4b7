#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "io/molecules/molecular_problem.hpp"

namespace cisolve::io {

/// Statements of the user about a dump. They must agree with the file's values, except ms2, which
/// replaces the file's with a warning.
struct FcidumpOptions {
  std::optional<int> electrons = std::nullopt;
  std::optional<int> ms2 = std::nullopt;
  std::optional<int> orbitals = std::nullopt;
  std::optional<std::array<int, 2>> default_electrons =
      std::nullopt;  // alpha and beta, if no count is given
  std::optional<ci::IrrepNumbering> numbering = std::nullopt;  // convention of ORBSYM
  bool has_one_electron = true;  // otherwise the file must not contain one-electron integrals
};

/// Properties of a dump known before its integrals are read.
struct FcidumpOutline {
  int orbitals = 0;
  int alpha = 0;
  int beta = 0;
  std::string dialect;
};

/// Reads the header; scans the body only if the header is missing or ambiguous.
FcidumpOutline outline_fcidump(const std::filesystem::path& path, const FcidumpOptions& options,
                               const base::Backend& host);

/// Reads the integrals of an FCIDUMP file (Knowles and Handy 1989) in one of these dialects, and
/// reports which in `dialect`:
///
///   restricted             value i j k l, 1 to NORB
///   headerless             i j k l value (or value i j k l); the electrons come from the options,
///                          the orbitals from there or from the largest index, with a warning
///   spin blocks            IUHF=1: NORB spatial orbitals; aa, bb, ab, h_a, h_b, core, each block
///                          closed by 0.0 0 0 0 0
///   interleaved spins      UHF=.TRUE.: NORB spin orbitals, alpha odd, beta even
///   alpha then beta        either flag, indices up to 2 NORB: alpha 1..NORB, beta NORB+1..2NORB
///
/// An element may be repeated, in any of its equivalent index orders, with values that agree to
/// 1e-10 of max(1, |value|) or within one step of the last printed digit if that is finer than
/// 1e-6; the first value counts. Errors are ErrorKind::bad_input as "file:line: what is wrong; what
/// was expected". Orbital energies are ignored; a missing core energy is 0, with a warning. Refused
/// as truncated, unless the options permit it: a file without one-electron integrals. Refused as
/// well: a file without core energy that ends in its one-electron integrals
/// (IntegralStore::flaw_of_truncation).
MolecularProblem read_fcidump(const std::filesystem::path& path, const FcidumpOptions& options,
                              const base::Backend& host);

}  // namespace cisolve::io
