#pragma once

#include <functional>

#include "base/backend.hpp"

// Loops over rows, or over anything else that is numbered, on the threads of the host.
namespace cisolve::base {

/// Runs work(first, last) over chunks of rows. Chunks begin at multiples of `grain`; threads take
/// them as they come, so a result must not depend on who has which; within another such loop one
/// thread takes all. An exception of any chunk is
/// thrown here once all threads have stopped.
void for_each_chunk(Index rows, Index grain, int threads,
                    const std::function<void(Index first, Index last)>& work);

/// On all threads of a host.
void for_each_chunk(Index rows, Index grain, const Backend& host,
                    const std::function<void(Index first, Index last)>& work);

}  // namespace cisolve::base
