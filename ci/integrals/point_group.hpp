#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cisolve::ci {

/// Who counts the irreps of a file: Molpro from 1, in an order of its own for each group; PySCF
/// from 0, in Cotton's order. In both the label (the number, or less 1) multiplies by XOR.
enum class IrrepNumbering { molpro, pyscf };

/// "Molpro's numbering, from 1"
std::string_view name_of(IrrepNumbering numbering);

/// D2h or its subgroup that names the irreps of a group, as it is usually written: the group
/// itself, in capitals or not; D2h of Dooh (linear molecules) and SO3 (atoms) and C2v of Coov, as
/// PySCF calls them. Empty for any other group.
std::string abelian_group(std::string_view name);

/// The irreps of a group by their XOR labels, 8, 4, 2 or 1 of them.
std::vector<std::string> irrep_names(std::string_view group, IrrepNumbering numbering);

/// Molpro's labels by PySCF's, for a group: both multiply by XOR.
std::vector<int> molpro_labels(std::string_view group);

/// The irreps of all these groups, each name once: Ag, B1g, ...
const std::vector<std::string>& all_irrep_names();

/// An irrep's name as it is usually written, in capitals or not, with '' for a double prime; empty
/// where no group has such an irrep.
std::string usual_irrep_name(std::string_view name);

}  // namespace cisolve::ci
