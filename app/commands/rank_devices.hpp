#pragma once

#include <optional>
#include <string>

#include "base/ranks/communicator.hpp"

namespace cisolve::app {

/// What a rank sees of devices.
struct SeenDevices {
  int count = 0;
  std::string shown;      // on which machine, and which of its devices its launcher shows it
  int on_node = 1;        // ranks there
  int place_on_node = 0;  // this one's, among these
};
SeenDevices seen_devices(int on_node, int place_on_node);

/// The devices of many ranks: one for each, or none.
struct RankDevices {
  std::optional<int> mine;  // its number among those that this rank sees
  std::string lack;         // why there is none, of the first rank that has none
  bool are_any = false;     // on any node
};

/// All ranks ask together. On a node that shows all its devices, each rank takes that of its own
/// number there; a launcher that shows each rank others has given it the first of these.
RankDevices devices_of_ranks(const base::Communicator& ranks, const SeenDevices& seen);

}  // namespace cisolve::app
