#include "solver/vectors/kernels.hpp"

#include "base/error.hpp"

namespace cisolve::solver::cuda {

const Kernels& kernels() { throw base::BackendNotBuilt("cuda"); }

}  // namespace cisolve::solver::cuda
