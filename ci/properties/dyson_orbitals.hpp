#pragma once

#include <optional>
#include <vector>

#include "base/block.hpp"
#include "ci/fock/spaces/space.hpp"

// Dyson orbitals: what an electron leaves behind.
namespace cisolve::ci {

/// The spin of the electron by which two spaces differ: `more` has one electron of it more than
/// `fewer`, and as many of the other; none if they differ otherwise.
std::optional<Spin> spin_between(const Space& fewer, const Space& more);

/// <i| a_q |j> of each state i over `fewer` and j over `more`, which has one electron of `spin`
/// more over the same orbitals: element (j I + i) n + q, for I states i and n orbitals. A beta
/// electron is taken out behind all alpha creators: its sign has the factor (-1)^(alpha electrons).
///
/// Columns are vectors in canonical order in the host's memory. Strings of the two spaces are
/// matched by annihilation tables; the cost is linear in the determinants of `more`, times its
/// electrons of that spin and the pairs of states. The result has the same bits on any number of
/// threads. Throws ErrorKind::resources before it exceeds the host's budget.
std::vector<double> dyson_orbitals(const Space& fewer, base::ConstBlock i_states, const Space& more,
                                   base::ConstBlock j_states, Spin spin);

}  // namespace cisolve::ci
