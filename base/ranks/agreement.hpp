#pragma once

#include <exception>
#include <functional>

#include "base/ranks/communicator.hpp"

namespace cisolve::base {

/// Marks an error that all ranks throw at the same place, so that they can continue together.
class Agreed {
 protected:
  Agreed() = default;
  Agreed(const Agreed&) = default;
  Agreed& operator=(const Agreed&) = default;
  ~Agreed() = default;
};

/// Whether all ranks throw this error at the same place; always true in one process.
inline bool is_agreed(const Communicator& ranks, const std::exception& error) {
  return ranks.size() == 1 || dynamic_cast<const Agreed*>(&error) != nullptr;
}

/// Runs local work of each rank, such as an allocation. If it fails on any rank, all throw the
/// error of the first of these, as a CollectiveError; a DeviceMemoryError stays one. With one rank
/// the error of `work` passes through.
void agree(const Communicator& ranks, const std::function<void()>& work);

/// Aborts the other ranks, which would wait for one that failed.
void abort_for(const Communicator& ranks, const std::exception_ptr& error) noexcept;

/// Runs collective work. An error of one rank is rethrown there and aborts the others, which throw
/// PeerFailed; a CollectiveError leaves the communicator intact.
template <class Work>
auto together(const Communicator& ranks, Work work) {
  try {
    return work();
  } catch (const Agreed&) {
    throw;
  } catch (...) {
    abort_for(ranks, std::current_exception());
    throw;
  }
}

}  // namespace cisolve::base
