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

using Text = std::array<char, 512>;  // longer ones may look alike

Text text_of(const std::string& shown) {
  Text text{};
  shown.copy(text.data(), text.size());
  return text;
}

/// The first rank that lacks a device, and how many it sees for how many ranks of its node.
std::string told_lack(const base::Communicator& ranks, bool has, const VisibleDevices& seen) {
  const auto first = static_cast<int>(ranks.minimum(has ? ranks.size() : ranks.rank()));
  double counts[] = {static_cast<double>(seen.count), static_cast<double>(seen.on_node)};
  ranks.broadcast(std::span<double>(counts), first);
  return base::concat("rank ", first, " sees ",
                      base::counted(static_cast<base::Index>(counts[0]), "device"),
                      ", but its node runs ", counts[1], " ranks");
}

}  // namespace

VisibleDevices visible_devices(int on_node, int place_on_node) {
  std::string reason;
  VisibleDevices seen;
  seen.on_node = on_node;
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
  const bool is_given = ranks.all_differ(std::as_bytes(std::span(shown)));
  const bool has = seen.count >= (is_given ? 1 : seen.on_node);
  RankDevices found;
  found.are_any = ranks.maximum(seen.count) > 0;
  if (ranks.all_true(has))
    found.mine = is_given ? 0 : seen.place_on_node;
  else
    found.lack = told_lack(ranks, has, seen);
  return found;
}

}  // namespace cisolve::app
