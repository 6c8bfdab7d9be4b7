#pragma once

#include <functional>

#include "base/ranks/communicator.hpp"

namespace cisolve::base {

/// Runs `work` on `ranks` ranks, threads of this process with a communicator each, and returns when
/// all have ended. A rank that throws aborts the others; the lowest rank's own error is rethrown.
/// Mismatched operations, and a rank that ends while another waits for it, are errors on all ranks:
/// nobody waits forever.
void run_as_ranks(int ranks, const std::function<void(const Communicator&)>& work);

}  // namespace cisolve::base
