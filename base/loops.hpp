#pragma once

#include <functional>

#include "base/backend.hpp"

// Parallel loops over rows, or any index range, on host threads.
namespace cisolve::base {

/// Runs work(first, last) over chunks of rows that begin at multiples of `grain`. Threads take
/// chunks dynamically, so results must not depend on the assignment; serial inside another parallel
/// loop. Rethrows an exception of any chunk after all threads have stopped.
void for_each_chunk(Index rows, Index grain, int threads,
                    const std::function<void(Index first, Index last)>& work);

/// Runs the loop on all threads of a host backend.
void for_each_chunk(Index rows, Index grain, const Backend& host,
                    const std::function<void(Index first, Index last)>& work);

}  // namespace cisolve::base
