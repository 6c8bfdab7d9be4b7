#pragma once

namespace cisolve::solver {

/// Storage of a search space.
enum class BasisStorage {
  full,    // in the memory of the backend
  staged,  // on the host, in panels copied to the device; for a single state, all vectors but its
           // own are in single precision
};

}  // namespace cisolve::solver
