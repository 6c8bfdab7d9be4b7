#pragma once

#include <functional>

#include "base/ranks/communicator.hpp"

namespace cisolve::base {

/// Runs `work` on so many ranks at once, each of which is a thread of this process with a
/// communicator of its own, and returns when all have ended. A rank that throws aborts the others;
/// then what the lowest rank has thrown that was not just told of it is thrown on. Operations that
/// do not fit each other, and a rank that ends where another waits for it, are errors on all ranks:
/// nobody waits for ever.
void run_as_ranks(int ranks, const std::function<void(const Communicator&)>& work);

}  // namespace cisolve::base
