#include "ci/spins/spin_orbits.hpp"

#include <map>

namespace cisolve::ci {
namespace {

constexpr auto kTables = "tables of symmetries";

}  // namespace

SpinOrbits::SpinOrbits(const SpinSector& sector, int sites, const base::Backend& host)
    : bytes_((sites + 7) / 8), all_(all_up(sites)), tables_(host, 0, kTables) {
  // A flip is asked for by itself, so that each way of moving sites comes with it or none does.
  std::map<std::vector<int>, std::size_t> known;
  std::vector<const std::vector<int>*> moves;
  for (std::size_t i = 0; i < sector.operations.size(); ++i) {
    const SpinOperation& operation = sector.operations[i].operation;
    const auto [place, is_new] = known.try_emplace(operation.to, ways_.size());
    if (is_new) {
      ways_.emplace_back();
      moves.push_back(&place->first);
    }
    Way& way = ways_[place->second];
    (operation.flips ? way.flipped : way.plain) = static_cast<int>(i);
    flips_ |= operation.flips;
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
