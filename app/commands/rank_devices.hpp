#pragma once

#include <optional>
#include <string>

#include "base/ranks/communicator.hpp"

namespace cisolve::app {

/// The devices visible to a rank.
struct VisibleDevices {
  int count = 0;
  std::string shown;  // machine and exposed devices; equal on ranks that see the same devices
  int ranks_on_node = 1;
  int place_on_node = 0;  // number of this rank among the ranks of its node
};
VisibleDevices visible_devices(int ranks_on_node, int place_on_node);

/// One device for each rank, or none for all.
struct RankDevices {
  std::optional<int> mine;  // number of this rank's device among those that it sees
  std::string lack;         // why the first rank without a device has none
  bool are_any = false;     // whether any node has a device
};

/// Collective. On a node whose ranks see all devices, each rank takes the device of its local rank;
/// if the launcher exposes different devices to each rank, it takes the first of these.
RankDevices devices_of_ranks(const base::Communicator& ranks, const VisibleDevices& seen);

}  // namespace cisolve::app
