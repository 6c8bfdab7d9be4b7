#pragma once

#include <string>
#include <vector>

#include "app/job/molecule.hpp"
#include "base/multivector.hpp"

namespace cisolve::app {

/// Why nothing can be said of the total spin of states; empty where it can.
std::string why_no_spin(const ci::Integrals& integrals);

/// <S^2> of each of the vectors, which lie in the host's memory; only where why_no_spin() is empty.
std::vector<double> spins_of(const ci::Space& space, const base::MultiVector& x);

}  // namespace cisolve::app
