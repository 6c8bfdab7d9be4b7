#pragma once

#include <string>
#include <vector>

#include "base/multivector.hpp"
#include "base/operator.hpp"
#include "job/problem/determinant_problem.hpp"

namespace cisolve::job {

/// Why nothing can be said of the total spin of states; empty where it can.
std::string why_no_spin(const ci::Integrals& integrals);

/// <S^2> of each of the vectors, by S^2 on their backend; only where why_no_spin() is empty.
std::vector<double> spins_of(const base::LinearOperator& s2, const base::MultiVector& x);

}  // namespace cisolve::job
