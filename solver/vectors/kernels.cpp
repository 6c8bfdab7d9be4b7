#include "solver/vectors/kernels.hpp"

#include "base/error.hpp"

namespace cisolve::solver {

const Kernels& kernels(const Backend& backend) {
  switch (backend.kind()) {
    case base::BackendKind::reference: return reference::kernels();
    case base::BackendKind::openmp: return openmp::kernels();
    case base::BackendKind::cuda: return cuda::kernels();
  }
  base::fail(base::ErrorKind::internal, "the backend lacks the operations of the solver");
}

}  // namespace cisolve::solver
