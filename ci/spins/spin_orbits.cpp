#include "ci/spins/spin_orbits.hpp"

#include "ci/spins/site_turns.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kTables = "tables of symmetries";

}  // namespace

SpinOrbits::SpinOrbits(const SpinSector& sector, int sites, const base::Backend& host)
    : bytes_((sites + 7) / 8), all_(all_up(sites)), tables_(host, 0, kTables) {
  const SiteWays group(sector);
  flips_ = group.flips;
  std::vector<const std::vector<int>*> moves;
  for (const SiteWay& way : group.all) {
    ways_.push_back({way.plain, way.flipped});
    moves.push_back(&way.to);
  }
  padded_ = (std::ssize(ways_) + kBlock - 1) / kBlock * kBlock;
  tables_ = base::Array<SpinWord>(host, Index{256} * bytes_ * padded_, kTables);
  SpinWord* entry = tables_.data();
  for (int byte = 0; byte < bytes_; ++byte)
    for (SpinWord bits = 0; bits < 256; ++bits)
      for (Index way = 0; way < padded_; ++way)
        *entry++ =
            moved_sites(bits << 8 * byte & all_, *moves[std::min(way, std::ssize(ways_) - 1)]);
}

}  // namespace cisolve::ci
