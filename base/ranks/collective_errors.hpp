#pragma once

#include <exception>
#include <functional>

#include "base/ranks/communicator.hpp"

namespace cisolve::base {

/// Marks an error that all ranks throw at the same place, so that they can continue together.
class CollectiveError {
 protected:
  CollectiveError() = default;
  CollectiveError(const CollectiveError&) = default;
  CollectiveError& operator=(const CollectiveError&) = default;
  ~CollectiveError() = default;
};

/// Whether all ranks throw this error at the same place; always true in one process.
inline bool is_collective(const Communicator& ranks, const std::exception& error) {
  return ranks.size() == 1 || dynamic_cast<const CollectiveError*>(&error) != nullptr;
}

/// Runs local work of each rank, such as an allocation. If it fails on any rank, all throw the
/// error of the first of these, as a CollectiveError; a DeviceMemoryError stays one. With one rank
/// the error of `work` passes through.
void run_collectively(const Communicator& ranks, const std::function<void()>& work);

/// Aborts the other ranks, which would wait for one that failed.
void abort_for(const Communicator& ranks, const std::exception_ptr& error) noexcept;

/// Runs collective work. An error of one rank is rethrown there and aborts the others, which throw
/// PeerFailed; a CollectiveError leaves the communicator intact.
template <class Work>
auto abort_peers_on_error(const Communicator& ranks, Work work) {
  try {
    return work();
  } catch (const CollectiveError&) {
    throw;
  } catch (...) {
    abort_for(ranks, std::current_exception());
    throw;
  }
}

}  // namespace cisolve::base
