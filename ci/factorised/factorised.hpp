#pragma once

#include <memory>

#include "base/operator.hpp"
#include "ci/hamiltonian/hamiltonian.hpp"

namespace cisolve::ci {

/// Whether a Hamiltonian can be written with string matrices: of a space whose lists of beta
/// strings are alike or disjoint, as those of full CI, of one irrep and of products of lists are,
/// and where no element is left out for being small.
bool may_factorise(const HamiltonianRows& h);

/// The Hamiltonian as string matrices, so that elements are neither stored nor computed one by one.
///
/// H is the sum of what alpha electrons do alone, of what beta electrons do alone, and of what a
/// pair of both does. The first two are matrices over strings of one spin, the same beside every
/// string of the other. Of the third, for an alpha string a and each pair rs of beta orbitals,
///     g_rs(b) = sum over singles a -> a' by pq of +-(pq|rs) x(a', b)
/// is a product of a small dense matrix with rows of x, and what beta singles by rs make of g_rs is
/// added to row a of y alone.
///
/// In canonical order, whatever the partition of `h`, of which it keeps copies. The same bits each
/// time and for every number of threads; those of a vector do not depend on the others of its
/// block.
std::unique_ptr<base::LinearOperator> factorised(const HamiltonianRows& h,
                                                 const base::Backend& backend);

}  // namespace cisolve::ci
