#pragma once

#include <functional>
#include <vector>

#include "base/backend.hpp"
#include "base/ranks/communicator.hpp"

namespace cisolve::test {

using RankWork = std::function<void(const base::Communicator&)>;

/// The kind of ranks that a program tests, for the cases that all kinds have to pass.
struct RankRunner {
  std::vector<int> (*sizes)();                            // how many ranks there can be
  void (*run)(int size, const RankWork& work) = nullptr;  // as base::run_as_ranks()
  /// Sum over all ranks, each of which may be a process.
  base::Index (*total)(base::Index own_count) = nullptr;
};

/// Set before the tests begin.
inline RankRunner rank_runner;

/// Backend of a rank's vectors: one host thread, or a device.
inline base::Backend (*rank_backend)() = [] { return base::Backend::openmp(1); };

}  // namespace cisolve::test
