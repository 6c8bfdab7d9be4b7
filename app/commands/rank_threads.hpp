#pragma once

#include <string>

#include "base/ranks/communicator.hpp"

namespace cisolve::app {

/// The cores of a rank: those that its launcher has bound it to, and its even share of those of its
/// node.
struct RankCores {
  int bound = 1;
  int share = 1;

  bool are_few() const { return bound < share; }
};

/// The cores of this process, one of `ranks_on_node` ranks of its node. The cores of the node are
/// those that the launcher may use, which a batch system or a container may have confined.
RankCores cores_of_rank(int ranks_on_node);

/// All ranks ask together: that a launcher has bound one to fewer cores than its share, of the
/// first such rank, with what helps; nothing where there is none.
std::string told_binding(const base::Communicator& ranks, const RankCores& cores);

}  // namespace cisolve::app
