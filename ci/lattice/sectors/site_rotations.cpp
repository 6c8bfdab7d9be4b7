#include "ci/lattice/sectors/site_rotations.hpp"

#include <map>

namespace cisolve::ci {
namespace {

constexpr auto kRotations = "symmetries as bit rotations";

/// One rotation per distance: bit i (or 63 - i of the reversed word) goes to to[i].
std::vector<BitRotation> rotations_of(const std::vector<int>& to, bool reversed) {
  std::map<int, BasisState> by_places;
  for (int i = 0; i < std::ssize(to); ++i) {
    const int from = reversed ? kMostSpins - 1 - i : i;
    by_places[(to[i] - from + kMostSpins) % kMostSpins] |= BasisState{1} << to[i];
  }
  std::vector<BitRotation> rotations;
  for (const auto& [left, bits] : by_places)
    rotations.push_back({.to = bits,
                         .left = static_cast<std::uint8_t>(left),
                         .right = static_cast<std::uint8_t>((kMostSpins - left) % kMostSpins),
                         .reversed = static_cast<std::uint8_t>(reversed ? 1 : 0),
                         .is_last = 0});
  rotations.back().is_last = 1;
  return rotations;
}

}  // namespace

SitePermutations::SitePermutations(const SymmetrySector& sector) {
  std::map<std::vector<int>, std::size_t> known;
  for (std::size_t i = 0; i < sector.operations.size(); ++i) {
    const SymmetryOperation& operation = sector.operations[i].operation;
    const auto [place, is_new] = known.try_emplace(operation.to, all.size());
    if (is_new) all.push_back({operation.to});
    SitePermutation& way = all[place->second];
    (operation.flips ? way.flipped : way.plain) = static_cast<int>(i);
    flips |= operation.flips;
  }
}

SiteRotations::SiteRotations(const SymmetrySector& sector, const base::Backend& backend)
    : rotations_(backend, 0, kRotations), operations_(backend, 0, kRotations) {
  const SitePermutations group(sector);
  std::vector<BitRotation> rotations;
  std::vector<int> operations;
  for (const auto& [to, plain, flipped] : group.all) {
    const std::vector<BitRotation> forwards = rotations_of(to, false);
    const std::vector<BitRotation> backwards = rotations_of(to, true);
    const std::vector<BitRotation>& fewer =
        backwards.size() < forwards.size() ? backwards : forwards;
    rotations.insert(rotations.end(), fewer.begin(), fewer.end());
    operations.insert(operations.end(), {plain, flipped});
  }
  rotations_ = base::Array<BitRotation>::copy_of(rotations, backend, kRotations);
  operations_ = base::Array<int>::copy_of(operations, backend, kRotations);
  view_ = {.rotations = rotations_.data(),
           .count = static_cast<int>(rotations.size()),
           .operations = operations_.data(),
           .flips = group.flips,
           .all = all_up(sector.places())};
}

}  // namespace cisolve::ci
