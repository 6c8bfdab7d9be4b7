#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cisolve::ci {

/// Numbering of irreps in a file: Molpro's from 1, in an order of its own for each group; PySCF's
/// from 0, in Cotton's order. In both the zero-based label multiplies by XOR.
enum class IrrepNumbering { molpro, pyscf };

/// "Molpro's numbering, from 1"
std::string_view name_of(IrrepNumbering numbering);

/// The name of D2h or a subgroup in usual spelling, case ignored. PySCF's Dooh and SO3 give D2h,
/// Coov gives C2v; any other name gives "".
std::string abelian_group(std::string_view name);

/// Names of the irreps by XOR label: 8, 4, 2 or 1.
std::vector<std::string> irrep_names(std::string_view group, IrrepNumbering numbering);

/// Molpro's label for each of PySCF's labels.
std::vector<int> molpro_labels(std::string_view group);

/// All irrep names of these groups, each once: Ag, B1g, ...
const std::vector<std::string>& all_irrep_names();

/// An irrep name in usual spelling, case ignored, '' read as a double prime; "" if no group has it.
std::string usual_irrep_name(std::string_view name);

}  // namespace cisolve::ci
