#pragma once

#include "job/run/run.hpp"

namespace cisolve::job {

inline constexpr Index kVector = 63'504 * Index{sizeof(double)};
inline constexpr double kLowest = -4.254559411302;  // other starts lead to -3.993821705679

/// A Hubbard ring of ten, whose lowest state is found among even or odd vectors.
inline Request ring(base::BackendChoice backend) {
  Request request;
  request.source = ProblemSource::lattice;
  request.lattice.columns = 10;
  request.lattice.periodic_columns = true;
  request.lattice.u = 6;
  request.elements.path = ElementPath::factorised;
  request.backend = backend;
  request.threads = 1;
  return request;
}

}  // namespace cisolve::job
