#pragma once

namespace cisolve::solver {

/// How a search space keeps its vectors.
enum class Keeping {
  full,    // beside those that are worked on
  staged,  // in the memory of the host, from which they come to the device in panels; what there is
           // beside a single state in single precision
};

}  // namespace cisolve::solver
