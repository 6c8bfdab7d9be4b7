#pragma once

#include <string>
#include <vector>

#include "base/multivector.hpp"
#include "job/problem/molecule.hpp"

namespace cisolve::job {

/// Why nothing can be said of the total spin of states; empty where it can.
std::string why_no_spin(const ci::Integrals& integrals);

/// <S^2> of each of the vectors, which lie in the host's memory; only where why_no_spin() is empty.
std::vector<double> spins_of(const ci::Space& space, const base::MultiVector& x);

}  // namespace cisolve::job
