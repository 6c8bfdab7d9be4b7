#pragma once

#include "base/error.hpp"
#include "base/ranks/communicator.hpp"

namespace cisolve::dist {

/// Whether no rank fails in it; where one does, something else carries as well.
template <class Work>
bool all_do(const base::Communicator& ranks, Work work) {
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
