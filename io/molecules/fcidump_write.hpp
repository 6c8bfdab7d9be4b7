#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ci/fock/basis/molecular_orbitals.hpp"
#include "ci/fock/integrals/integrals.hpp"
#include "ci/fock/integrals/one_electron_operator.hpp"

namespace cisolve::io {

/// The header of an FCIDUMP file beside what its integrals tell.
struct FcidumpHeading {
  int alpha = 0;
  int beta = 0;
  std::vector<int> orbital_symmetries = {};  // ORBSYM in Molpro's numbering; empty: none
  std::string point_group = {};              // PNTGRP, with these alone
};

/// Writes integrals that do not depend on spin as a restricted FCIDUMP file, with all digits;
/// integrals up to 1e-15 Hartree are left out. The file appears completely or not at all. Throws
/// ErrorKind::cannot_write.
void write_fcidump(const std::filesystem::path& path, const ci::Integrals& integrals,
                   const FcidumpHeading& header, bool overwrite);

/// Writes operators over the orbitals of `integrals`, neither of which depends on spin, for
/// read_operators(), and, unless null, these orbitals over basis functions for read_orbitals(),
/// likewise.
void write_operators(const std::filesystem::path& path, const ci::OneElectronOperators& operators,
                     const ci::Integrals& integrals,
                     const std::shared_ptr<const ci::MolecularOrbitals>& orbitals, bool overwrite);

}  // namespace cisolve::io
