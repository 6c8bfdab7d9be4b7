#include "ci/spins/spin_sector.hpp"

#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

constexpr std::size_t kMostOperations = 20000;
constexpr double kSameMatrix = 1e-9;

/// First `first`, then `second`.
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

SectorOperation identity(int sites, int dimension) {
  SectorOperation one{{std::vector<int>(sites), false}, {}};
  std::iota(one.operation.to.begin(), one.operation.to.end(), 0);
  if (dimension == 2) one.matrix.of[3] = 1;
  return one;
}

}  // namespace

SpinSector make_sector(int sites, int dimension, const std::vector<SectorOperation>& generators) {
  SpinSector sector{dimension, {identity(sites, dimension)}};
  std::map<std::pair<std::vector<int>, bool>, std::size_t> known;
  const auto key = [](const SpinOperation& o) { return std::pair(o.to, o.flips); };
  known[key(sector.operations.front().operation)] = 0;
  for (std::size_t i = 0; i < sector.operations.size(); ++i)
    for (const SectorOperation& generator : generators) {
      SectorOperation next = product(generator, sector.operations[i]);
      const auto [place, is_new] = known.try_emplace(key(next.operation), sector.operations.size());
      if (is_new)
        sector.operations.push_back(std::move(next));
      else if (!agree(next.matrix, sector.operations[place->second].matrix))
        base::fail(base::Fault::configuration,
                   "space.symmetry: no state has all of these momenta and parities; expected "
                   "fewer of them, or others");
      if (sector.operations.size() > kMostOperations)
        base::fail(base::Fault::configuration, "space.symmetry: more than ", kMostOperations,
                   " operations; expected fewer symmetries");
    }
  return sector;
}

namespace {

std::vector<int> cycle_lengths(const std::vector<int>& to) {
  std::vector<int> lengths;
  std::vector<bool> seen(to.size(), false);
  for (std::size_t first = 0; first < to.size(); ++first) {
    int length = 0;
    for (std::size_t site = first; !seen[site]; site = static_cast<std::size_t>(to[site])) {
      seen[site] = true;
      ++length;
    }
    if (length > 0) lengths.push_back(length);
  }
  return lengths;
}

/// Spins of a cycle are alike; with a flip they alternate, half of them up.
double fixed_words(const SpinOperation& operation, std::optional<int> up) {
  const auto sites = static_cast<int>(operation.to.size());
  const std::vector<int> lengths = cycle_lengths(operation.to);
  if (operation.flips) {
    for (const int length : lengths)
      if (length % 2 != 0) return 0;
    return !up || 2 * *up == sites ? std::exp2(static_cast<double>(lengths.size())) : 0;
  }
  if (!up) return std::exp2(static_cast<double>(lengths.size()));
  std::vector<double> ways(sites + 1, 0);  // to have so many up
  ways[0] = 1;
  for (const int length : lengths)
    for (int count = sites; count >= length; --count) ways[count] += ways[count - length];
  return ways[*up];
}

}  // namespace

double sector_dimension(const SpinSector& sector, std::optional<int> up) {
  double sum = 0;
  for (const auto& [operation, matrix] : sector.operations)
    sum += (matrix(0, 0) + matrix(1, 1)) * fixed_words(operation, up);
  return std::round(sum / static_cast<double>(sector.operations.size()));
}

}  // namespace cisolve::ci
