#pragma once

#include <exception>
#include <functional>

#include "base/ranks/communicator.hpp"

namespace cisolve::base {

/// Marks an error that all ranks throw at the same place, so that they can go on together.
class Agreed {
 protected:
  Agreed() = default;
  Agreed(const Agreed&) = default;
  Agreed& operator=(const Agreed&) = default;
  ~Agreed() = default;
};

/// Whether all ranks throw it at the same place; what one process throws all know.
inline bool is_agreed(const Communicator& ranks, const std::exception& error) {
  return ranks.size() == 1 || dynamic_cast<const Agreed*>(&error) != nullptr;
}

/// Runs what each rank does by itself, such as allocating. Where it fails on any of them, all throw
/// what the first of these met, a DeviceMemoryError as such, and are Agreed. One process throws
/// what `work` does.
void agree(const Communicator& ranks, const std::function<void()>& work);

/// Ends the waiting of the others for one rank that failed.
void abort_for(const Communicator& ranks, const std::exception_ptr& error) noexcept;

/// Runs what the ranks do together. An error of one rank alone is thrown there, and the others,
/// which would wait for it, throw a PeerFailed; an Agreed one leaves the communicator as it is.
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
