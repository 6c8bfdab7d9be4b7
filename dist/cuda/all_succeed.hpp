#pragma once

#include "base/error.hpp"
#include "base/ranks/communicator.hpp"

namespace cisolve::dist {

/// Runs `work` on every rank and returns true if none failed; a failure calls for an alternative.
template <class Work>
bool all_succeed(const base::Communicator& ranks, Work work) {
  bool is_done = false;
  try {
    work();
    is_done = true;
  } catch (const base::PeerFailed&) {
    throw;
  } catch (const base::Error&) {
    is_done = false;
  }
  return ranks.all_true(is_done);
}

}  // namespace cisolve::dist
