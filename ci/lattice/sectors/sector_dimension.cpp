#include <array>
#include <cmath>
#include <map>

#include "ci/lattice/sectors/symmetry_sector.hpp"

namespace cisolve::ci {
namespace {

/// Signed numbers of words (the spins or occupations of all places) that an operation maps to
/// themselves, by their numbers of up and down spins or electrons: coefficients of x^up y^down.
using Counts = std::map<std::pair<int, int>, double>;

Counts product(const Counts& a, const Counts& b) {
  Counts all;
  for (const auto& [i, m] : a)
    for (const auto& [j, n] : b) all[{i.first + j.first, i.second + j.second}] += m * n;
  return all;
}

using Cycle = std::vector<int>;  // places; each is the image of the one before

std::vector<Cycle> cycles(const std::vector<int>& to) {
  std::vector<Cycle> all;
  std::vector<bool> seen(to.size(), false);
  for (std::size_t first = 0; first < to.size(); ++first) {
    Cycle cycle;
    for (std::size_t place = first; !seen[place]; place = static_cast<std::size_t>(to[place])) {
      seen[place] = true;
      cycle.push_back(static_cast<int>(place));
    }
    if (!cycle.empty()) all.push_back(std::move(cycle));
  }
  return all;
}

/// In a fixed word the spins along a cycle are equal: all up or all down. If the operation also
/// flips them, they alternate: half are up, in two ways.
Counts fixed_spin_words(const SymmetryOperation& operation) {
  Counts all{{{0, 0}, 1}};
  for (const Cycle& cycle : cycles(operation.to)) {
    const auto length = static_cast<int>(cycle.size());
    if (operation.flips && length % 2 != 0) return {};
    all = product(all, operation.flips ? Counts{{{length / 2, 0}, 2}}
                                       : Counts{{{0, 0}, 1}, {{length, 0}, 1}});
  }
  return all;
}

/// In a fixed word a cycle's places (spin orbitals) are all occupied or all empty; an occupied
/// cycle of n places has the sign (-1)^(n - 1) of a cyclic permutation. Without double occupancy it
/// must not contain both places of a site, and of the cycles on the same sites at most one is
/// occupied.
Counts fixed_electron_words(const SymmetryOperation& operation, const ParticleNumbers& filling) {
  const auto site_of = [&](int place) { return place % filling.sites; };
  std::map<int, Counts> by_sites;  // indexed by lowest site
  for (const Cycle& cycle : cycles(operation.to)) {
    std::array<int, 2> electrons_by_spin{};
    std::map<int, int> times;
    for (const int place : cycle) {
      ++electrons_by_spin[place < filling.sites ? 0 : 1];
      ++times[site_of(place)];
    }
    const double sign = cycle.size() % 2 == 0 ? -1 : 1;
    const bool may_be_taken = filling.allows_double_occupancy || times.begin()->second == 1;
    Counts& here = by_sites.try_emplace(times.begin()->first, Counts{{{0, 0}, 1}}).first->second;
    Counts taken{{{electrons_by_spin[0], electrons_by_spin[1]}, may_be_taken ? sign : 0}};
    if (filling.allows_double_occupancy) taken = product(here, taken);
    for (const auto& [of, count] : taken) here[of] += count;
  }
  Counts all{{{0, 0}, 1}};
  for (const auto& [least, counts] : by_sites) all = product(all, counts);
  return all;
}

/// Signed number of words that an operation maps to themselves.
double fixed_words(const SymmetryOperation& operation, const ParticleNumbers& filling) {
  const Counts all = filling.holds_electrons() ? fixed_electron_words(operation, filling)
                                               : fixed_spin_words(operation);
  double sum = 0;
  for (const auto& [of, count] : all)
    if (!filling.up || of == std::pair(*filling.up, filling.down.value_or(0))) sum += count;
  return sum;
}

}  // namespace

double sector_dimension(const SymmetrySector& sector, const ParticleNumbers& filling) {
  double sum = 0;
  for (const auto& [operation, matrix] : sector.operations)
    sum += (matrix(0, 0) + matrix(1, 1)) * fixed_words(operation, filling);
  return std::round(sum / static_cast<double>(sector.operations.size()));
}

}  // namespace cisolve::ci
