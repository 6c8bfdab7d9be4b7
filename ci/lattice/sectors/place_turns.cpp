#include "ci/lattice/sectors/place_turns.hpp"

#include <map>

namespace cisolve::ci {
namespace {

constexpr auto kTurns = "symmetries as turns of bits";

/// One rotation per distance: bit i (or 63 - i of the reversed word) goes to to[i].
std::vector<BitTurn> turns_of(const std::vector<int>& to, bool reversed) {
  std::map<int, SpinWord> by_places;
  for (int i = 0; i < std::ssize(to); ++i) {
    const int from = reversed ? kMostSpins - 1 - i : i;
    by_places[(to[i] - from + kMostSpins) % kMostSpins] |= SpinWord{1} << to[i];
  }
  std::vector<BitTurn> turns;
  for (const auto& [left, bits] : by_places)
    turns.push_back({.to = bits,
                     .left = static_cast<std::uint8_t>(left),
                     .right = static_cast<std::uint8_t>((kMostSpins - left) % kMostSpins),
                     .reversed = static_cast<std::uint8_t>(reversed ? 1 : 0),
                     .is_last = 0});
  turns.back().is_last = 1;
  return turns;
}

}  // namespace

PlaceWays::PlaceWays(const SpinSector& sector) {
  std::map<std::vector<int>, std::size_t> known;
  for (std::size_t i = 0; i < sector.operations.size(); ++i) {
    const SpinOperation& operation = sector.operations[i].operation;
    const auto [place, is_new] = known.try_emplace(operation.to, all.size());
    if (is_new) all.push_back({operation.to});
    PlaceWay& way = all[place->second];
    (operation.flips ? way.flipped : way.plain) = static_cast<int>(i);
    flips |= operation.flips;
  }
}

PlaceTurns::PlaceTurns(const SpinSector& sector, const base::Backend& backend)
    : turns_(backend, 0, kTurns), operations_(backend, 0, kTurns) {
  const PlaceWays group(sector);
  std::vector<BitTurn> turns;
  std::vector<int> operations;
  for (const auto& [to, plain, flipped] : group.all) {
    const std::vector<BitTurn> forwards = turns_of(to, false);
    const std::vector<BitTurn> backwards = turns_of(to, true);
    const std::vector<BitTurn>& fewer = backwards.size() < forwards.size() ? backwards : forwards;
    turns.insert(turns.end(), fewer.begin(), fewer.end());
    operations.insert(operations.end(), {plain, flipped});
  }
  turns_ = base::Array<BitTurn>::copy_of(turns, backend, kTurns);
  operations_ = base::Array<int>::copy_of(operations, backend, kTurns);
  view_ = {.turns = turns_.data(),
           .count = static_cast<int>(turns.size()),
           .operations = operations_.data(),
           .flips = group.flips,
           .all = all_up(sector.places())};
}

}  // namespace cisolve::ci
