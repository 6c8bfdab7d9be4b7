#pragma once

#include <string>

namespace cisolve::base {

/// The most threads that a backend has beside so many processors: sixteen for each, 64 where that
/// is more, and never more than 4096. More of them only wait for one another, and each takes memory
/// of the kernel's; where there are 20,000, OpenMP leaves its stack.
int most_threads_beside(int processors);

/// On this machine: beside the processors that this process may use.
int most_threads();
/// "at most 64 on this machine of 2 processors"
std::string most_threads_told();

}  // namespace cisolve::base
