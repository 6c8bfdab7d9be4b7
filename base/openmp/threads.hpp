#pragma once

namespace cisolve::base {

/// The processors that this process may use.
int processors();

/// The most threads that a backend has beside so many processors: sixteen for each, 64 where that
/// is more, and never more than 4096. More of them only wait for one another, and each takes memory
/// of the kernel's; where there are 20,000, OpenMP leaves its stack.
int most_threads_beside(int processors);

/// On this machine.
int most_threads();

}  // namespace cisolve::base
