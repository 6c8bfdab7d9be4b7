#include "ci/fock/models/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::ci {
namespace {

using base::ErrorKind;

constexpr double kSameLength = 1e-9;

std::vector<Place> sites_of_cell(LatticeType net) {
  if (net == LatticeType::honeycomb) return {{0, 0, 0}, {1.0 / 3, 1.0 / 3, 0}};
  if (net == LatticeType::kagome) return {{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}};
  return {{0, 0, 0}};
}

/// Squared length of a step given in lattice vectors.
double squared(const Place& step, LatticeType net) {
  const bool is_oblique = net != LatticeType::square && net != LatticeType::cubic;
  const double across = is_oblique ? step[0] * step[1] : 0;
  return step[0] * step[0] + step[1] * step[1] + step[2] * step[2] + across;
}

Place difference(const Place& a, const Place& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// Calls visit(x, y, z) for |x| <= most[0], |y| <= most[1], |z| <= most[2].
template <class Visit>
void for_each_step(const std::array<int, 3>& most, Visit visit) {
  for (int x = -most[0]; x <= most[0]; ++x)
    for (int y = -most[1]; y <= most[1]; ++y)
      for (int z = -most[2]; z <= most[2]; ++z) visit(x, y, z);
}

/// Distinct squared distances of the infinite lattice, ascending, in the directions of extent > 1.
std::vector<double> distances(const LatticeShape& shape) {
  constexpr int kFar = 3;
  std::array<int, 3> most{};
  for (int d = 0; d < 3; ++d) most[d] = shape.extents()[d] > 1 ? kFar : 0;
  const std::vector<Place> cell = sites_of_cell(shape.net);
  std::vector<double> all;
  for (const Place& from : cell)
    for (const Place& to : cell)
      for_each_step(most, [&](double x, double y, double z) {
        const Place step{to[0] - from[0] + x, to[1] - from[1] + y, to[2] - from[2] + z};
        all.push_back(squared(step, shape.net));
      });
  std::ranges::sort(all);
  const auto same = [](double a, double b) { return b - a < kSameLength; };
  const auto repeats = std::ranges::unique(all, same);
  all.erase(repeats.begin(), repeats.end());
  return all;
}

double shortest(const LatticeShape& shape, const Place& step) {
  std::array<int, 3> wraps{};
  for (int d = 0; d < 3; ++d) wraps[d] = shape.periodic()[d] ? 1 : 0;
  double least = squared(step, shape.net);
  for_each_step(wraps, [&](int x, int y, int z) {
    const Place image{step[0] + x * shape.columns, step[1] + y * shape.rows,
                      step[2] + z * shape.layers};
    least = std::min(least, squared(image, shape.net));
  });
  return least;
}

}  // namespace

int LatticeShape::cell_sites() const {
  return net == LatticeType::honeycomb ? 2 : net == LatticeType::kagome ? 3 : 1;
}

void require_shape(const LatticeShape& shape) {
  Index sites = shape.cell_sites();
  bool possible = true;
  for (int d = 0; d < 3; ++d) {
    const int extent = shape.extents()[d];
    possible &= extent >= 1 && extent <= kMostOrbitals;
    if (possible) sites *= extent;
    const int least = shape.cell_sites() == 1 ? 3 : 2;
    if (shape.periodic()[d] && extent < least)
      base::fail(ErrorKind::configuration, "a periodic direction has fewer than ", least,
                 " cells, so that its ends are neighbours already; use open boundaries");
  }
  if (!possible || sites > kMostOrbitals)
    base::fail(ErrorKind::configuration, "the lattice has ", shape.columns, " by ", shape.rows,
               shape.layers == 1 ? "" : base::concat(" by ", shape.layers),
               " cells; expected 1 to ", kMostOrbitals, " sites in all");
  if (shape.layers > 1 && shape.net != LatticeType::cubic)
    base::fail(ErrorKind::configuration, "a flat lattice has ", shape.layers,
               " layers; expected 1, or ", "shape: cubic");
}

std::vector<Bond> bonds(const LatticeShape& shape, int shell) {
  require_shape(shape);
  const std::vector<double> lengths = distances(shape);
  if (shell >= std::ssize(lengths)) return {};
  std::vector<Bond> all;
  for (int a = 0; a < shape.sites(); ++a)
    for (int b = a + 1; b < shape.sites(); ++b) {
      const Place step = difference(place_of(shape, b), place_of(shape, a));
      if (std::abs(shortest(shape, step) - lengths[shell]) < kSameLength) all.push_back({a, b});
    }
  return all;
}

Place place_of(const LatticeShape& shape, int site) {
  const int cell = site / shape.cell_sites();
  Place place = sites_of_cell(shape.net)[site % shape.cell_sites()];
  const int row = cell / shape.columns;
  const int layer = row / shape.rows;
  place[0] += cell % shape.columns;
  place[1] += row % shape.rows;
  place[2] += layer;
  return place;
}

int site_at(const LatticeShape& shape, const Place& place) {
  for (int site = 0; site < shape.sites(); ++site)
    if (shortest(shape, difference(place, place_of(shape, site))) < kSameLength) return site;
  return -1;
}

}  // namespace cisolve::ci
