#pragma once

#include <string>

#include "base/ranks/communicator.hpp"

namespace cisolve::app {

/// The cores to which the launcher has bound a rank, and an equal division of its node's cores.
struct RankCores {
  int bound = 1;
  int node_portion = 1;

  bool are_few() const { return bound < node_portion; }
};

/// The cores of this process, one of `ranks_on_node` ranks of its node. The cores of the node are
/// those that the launcher may use, which a batch system or a container may have confined.
RankCores cores_of_rank(int ranks_on_node);

/// Collective. Returns a warning with the remedy for the first rank that is bound to fewer cores
/// than its equal portion; empty if there is none.
std::string binding_warning(const base::Communicator& ranks, const RankCores& cores);

}  // namespace cisolve::app
