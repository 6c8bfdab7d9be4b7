#pragma once

#include "dist/mpi.hpp"

namespace cisolve::test {

/// Makes the ranks of rank_runner those that mpiexec has started.
void test_mpi(const dist::Mpi& begun);

}  // namespace cisolve::test
