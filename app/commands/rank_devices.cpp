#include "app/commands/rank_devices.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <span>

#include "base/device.hpp"
#include "base/error.hpp"
#include "base/number.hpp"

namespace cisolve::app {
namespace {

using Text = std::array<char, 512>;  // longer texts are cut, and may then compare equal

Text text_of(const std::string& shown) {
  Text text{};
  shown.copy(text.data(), text.size());
  return text;
}

/// "rank 1 sees 1 devices for the 2 ranks of its node", of the first rank that lacks a device.
std::string describe_lack(const base::Communicator& ranks, bool has, const VisibleDevices& seen) {
  const auto first = static_cast<int>(ranks.minimum(has ? ranks.size() : ranks.rank()));
  double counts[] = {static_cast<double>(seen.count), static_cast<double>(seen.ranks_on_node)};
  ranks.broadcast(std::span<double>(counts), first);
  return base::concat("rank ", first, " sees ",
                      base::counted(static_cast<base::Index>(counts[0]), "device"),
                      ", but its node runs ", counts[1], " ranks");
}

}  // namespace

VisibleDevices visible_devices(int ranks_on_node, int place_on_node) {
  std::string reason;
  VisibleDevices seen;
  seen.ranks_on_node = ranks_on_node;
  seen.place_on_node = place_on_node;
  seen.count = base::cuda::is_built() ? base::cuda::device_count(reason) : 0;
  std::array<char, 256> machine{};
  gethostname(machine.data(), machine.size() - 1);
  const char* shown = std::getenv("CUDA_VISIBLE_DEVICES");
  seen.shown = base::concat(machine.data(), ": ", shown == nullptr ? "all" : shown);
  // Slurm may number the devices of each task anew, so that all seem to see the same.
  if (std::getenv("SLURM_GPUS_PER_TASK") != nullptr)
    seen.shown += base::concat(", of rank ", place_on_node);
  return seen;
}

RankDevices devices_of_ranks(const base::Communicator& ranks, const VisibleDevices& seen) {
  const Text shown = text_of(seen.shown);
  // Whether the launcher exposes different devices to each rank.
  const bool has_own_devices = ranks.all_differ(std::as_bytes(std::span(shown)));
  const bool has = seen.count >= (has_own_devices ? 1 : seen.ranks_on_node);
  RankDevices found;
  found.are_any = ranks.maximum(seen.count) > 0;
  if (ranks.all_true(has))
    found.mine = has_own_devices ? 0 : seen.place_on_node;
  else
    found.lack = describe_lack(ranks, has, seen);
  return found;
}

}  // namespace cisolve::app
