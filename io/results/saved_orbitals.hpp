#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cisolve::io {

using base::Index;

/// The orbitals of a result's determinants, as read from its file; see StoredOrbitals.
struct SavedOrbitals {
  std::string digest = {};
  bool are_sites = false;
  std::vector<Index> frozen = {};  // counted from 1, in the problem's order
  std::vector<Index> active = {};
  /// Integrals over the active orbitals, packed; empty if not saved.
  std::vector<double> one_electron = {};
  std::vector<double> two_electron = {};
};

/// Returns nullopt for files without this group, such as earlier versions'. The file is not trusted
/// (see read_saved_vectors()).
std::optional<SavedOrbitals> read_saved_orbitals(const std::filesystem::path& path);

}  // namespace cisolve::io
