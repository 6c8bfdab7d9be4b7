#pragma once

#include "dist/mpi.hpp"

namespace cisolve::test {

/// The ranks of this program, each of which runs the same tests, are those that mpiexec has
/// started.
void test_mpi(const dist::Mpi& begun);

}  // namespace cisolve::test
