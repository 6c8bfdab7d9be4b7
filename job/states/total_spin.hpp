#pragma once

#include <string>
#include <vector>

#include "base/multivector.hpp"
#include "base/operator.hpp"
#include "job/problem/determinant_problem.hpp"

namespace cisolve::job {

/// Why the total spin of states cannot be computed; empty if it can.
std::string why_no_spin(const ci::Integrals& integrals);

/// <S^2> of each vector, by S^2 on its backend. Requires why_no_spin() to be empty.
std::vector<double> spins_of(const base::LinearOperator& s2, const base::MultiVector& x);

}  // namespace cisolve::job
