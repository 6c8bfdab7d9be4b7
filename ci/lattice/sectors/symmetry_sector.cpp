#include "ci/lattice/sectors/symmetry_sector.hpp"

#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

constexpr std::size_t kMostOperations = 20000;
constexpr double kSameMatrix = 1e-9;

/// The product second * first.
SectorOperation product(const SectorOperation& second, const SectorOperation& first) {
  SectorOperation both{first.operation, {{0, 0, 0, 0}}};
  for (int& to : both.operation.to) to = second.operation.to[to];
  both.operation.flips ^= second.operation.flips;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 2; ++k)
        both.matrix.of[2 * i + j] += second.matrix(i, k) * first.matrix(k, j);
  return both;
}

bool agree(const SectorMatrix& a, const SectorMatrix& b) {
  for (std::size_t i = 0; i < a.of.size(); ++i)
    if (std::abs(a.of[i] - b.of[i]) > kSameMatrix) return false;
  return true;
}

SectorOperation identity(int places, int dimension) {
  SectorOperation one{{std::vector<int>(places), false}, {}};
  std::iota(one.operation.to.begin(), one.operation.to.end(), 0);
  if (dimension == 2) one.matrix.of[3] = 1;
  return one;
}

}  // namespace

SymmetrySector make_sector(const SiteModel& model, int dimension,
                           const std::vector<SectorOperation>& generators) {
  SymmetrySector sector{dimension, model.holds_electrons, {identity(model.places(), dimension)}};
  std::map<std::pair<std::vector<int>, bool>, std::size_t> known;
  const auto key = [](const SymmetryOperation& o) { return std::pair(o.to, o.flips); };
  known[key(sector.operations.front().operation)] = 0;
  for (std::size_t i = 0; i < sector.operations.size(); ++i)
    for (const SectorOperation& generator : generators) {
      SectorOperation next = product(generator, sector.operations[i]);
      const auto [place, is_new] = known.try_emplace(key(next.operation), sector.operations.size());
      if (is_new)
        sector.operations.push_back(std::move(next));
      else if (!agree(next.matrix, sector.operations[place->second].matrix))
        base::fail(base::ErrorKind::configuration,
                   "space.symmetry: no state has this momentum and these parities; expected "
                   "fewer or other ones");
      if (sector.operations.size() > kMostOperations)
        base::fail(base::ErrorKind::configuration, "space.symmetry: more than ", kMostOperations,
                   " operations; expected fewer symmetries");
    }
  return sector;
}

}  // namespace cisolve::ci
