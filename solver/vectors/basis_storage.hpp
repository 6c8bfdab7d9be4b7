#pragma once

namespace cisolve::solver {

/// Storage of a search space.
enum class BasisStorage {
  full,    // in the memory of the backend
  staged,  // on the host, in panels copied to the device; in single precision if there is one
           // state, except its own vector beside a single state in single precision
};

}  // namespace cisolve::solver
