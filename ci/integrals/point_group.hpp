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

/// Whether it is D2h or one of its subgroups, in capitals or not.
bool is_point_group(std::string_view name);

/// D2h as it is usually written.
std::string usual_name(std::string_view group);

/// The irreps of a group by their XOR labels, 8, 4, 2 or 1 of them.
std::vector<std::string> irrep_names(std::string_view group, IrrepNumbering numbering);

}  // namespace cisolve::ci
