#include "ci/models/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "ci/strings/string_sets.hpp"

namespace cisolve::ci {
namespace {

using base::Fault;

void require_shape(const LatticeShape& shape) {
  if (shape.columns < 1 || shape.rows < 1 || shape.columns > kMostOrbitals ||
      shape.rows > kMostOrbitals || shape.sites() > kMostOrbitals)
    base::fail(Fault::configuration, "a lattice of ", shape.columns, " by ", shape.rows,
               " sites; expected 1 to ", kMostOrbitals, " sites in all");
  if ((shape.periodic_columns && shape.columns < 3) || (shape.periodic_rows && shape.rows < 3))
    base::fail(Fault::configuration,
               "a periodic direction with fewer than three sites; leave it "
               "open: its end sites are neighbours already");
}

void set_hopping(Integrals& integrals, const std::vector<Bond>& all, double t) {
  for (const auto& [a, b] : all) integrals.set_one(Spin::alpha, a, b, -t);
}

void set_repulsion(Integrals& integrals, int a, int b, double value) {
  integrals.set_two(Spin::alpha, a, a, Spin::alpha, b, b, value);
}

double distance(const Position& a, const Position& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

std::vector<Position> polygon(int sites, double spacing) {
  const double angle = 2 * std::numbers::pi / sites;
  const double radius = spacing / (2 * std::sin(angle / 2));
  std::vector<Position> ring;
  for (int i = 0; i < sites; ++i)
    ring.push_back({radius * std::cos(angle * i), radius * std::sin(angle * i), 0});
  return ring;
}

}  // namespace

std::vector<Bond> bonds(const LatticeShape& shape) {
  require_shape(shape);
  std::vector<Bond> all;
  for (int y = 0; y < shape.rows; ++y)
    for (int x = 0; x < shape.columns; ++x) {
      const int site = x + shape.columns * y;
      if (x + 1 < shape.columns || shape.periodic_columns)
        all.push_back({site, (x + 1) % shape.columns + shape.columns * y});
      if (y + 1 < shape.rows || shape.periodic_rows)
        all.push_back({site, x + shape.columns * ((y + 1) % shape.rows)});
    }
  return all;
}

Integrals hubbard(const Hubbard& model, const base::Backend& host) {
  const std::vector<Bond> all = bonds(model.shape);
  Integrals integrals(model.shape.sites(), false, host);
  set_hopping(integrals, all, model.t);
  for (int site = 0; site < model.shape.sites(); ++site)
    set_repulsion(integrals, site, site, model.u);
  for (const auto& [a, b] : all) set_repulsion(integrals, a, b, model.v);
  return integrals;
}

std::vector<Position> positions(const LatticeShape& shape, double spacing) {
  require_shape(shape);
  if (shape.rows == 1 && shape.periodic_columns) return polygon(shape.columns, spacing);
  if (shape.periodic_columns || shape.periodic_rows)
    base::fail(Fault::configuration,
               "a periodic rectangle has no positions in space; give them, "
               "or leave the lattice open");
  std::vector<Position> sites;
  const double step = shape.rows == 1 ? spacing * std::numbers::sqrt3 / 2 : spacing;
  for (int y = 0; y < shape.rows; ++y)
    for (int x = 0; x < shape.columns; ++x)
      sites.push_back({step * x, shape.rows == 1 ? spacing / 2 * (x % 2) : spacing * y, 0});
  return sites;
}

Integrals pariser_parr_pople(const PariserParrPople& model, const base::Backend& host) {
  const std::vector<Bond> all = bonds(model.shape);
  const int count = model.shape.sites();
  if (!(model.u > 0) || !(model.spacing > 0))
    base::fail(Fault::configuration, "U = ", model.u, " and a spacing of ", model.spacing,
               "; expected both above 0");
  const auto sites = model.sites.empty() ? positions(model.shape, model.spacing) : model.sites;
  if (std::ssize(sites) != count)
    base::fail(Fault::configuration, sites.size(), " positions for ", count, " sites");
  Integrals integrals(count, false, host);
  set_hopping(integrals, all, model.t);
  double core = 0;
  for (int i = 0; i < count; ++i) {
    double attraction = 0;
    set_repulsion(integrals, i, i, model.u);
    for (int j = 0; j < count; ++j) {
      if (j == i) continue;
      const double r = distance(sites[i], sites[j]);
      const double g = model.repulsion == Repulsion::ohno ? 1 / std::hypot(r, 1 / model.u)
                                                          : 1 / (r + 1 / model.u);
      set_repulsion(integrals, i, j, g);
      attraction -= g;
      core += g / 2;
    }
    integrals.set_one(Spin::alpha, i, i, attraction);
  }
  integrals.set_core_energy(core);
  return integrals;
}

Integrals heisenberg(const Heisenberg& model, const base::Backend& host) {
  const std::vector<Bond> all = bonds(model.shape);
  Integrals integrals(model.shape.sites(), false, host);
  for (const auto& [a, b] : all)
    integrals.set_two(Spin::alpha, a, b, Spin::alpha, b, a, -model.j / 2);
  const auto count = static_cast<double>(all.size());
  integrals.set_core_energy(-model.j / 4 * count);
  // A bond's terms, exchange and pair hopping, have norms below |J| each: with this repulsion a
  // doubly occupied site costs more than the spins' whole spectrum is wide.
  const double lift = 4 * std::abs(model.j) * (count + 1);
  for (int site = 0; site < model.shape.sites(); ++site) set_repulsion(integrals, site, site, lift);
  return integrals;
}

std::vector<Determinant> one_electron_a_site(int sites, int up, const base::Backend& host) {
  if (sites < 1 || sites > kMostOrbitals || up < 0 || up > sites)
    base::fail(Fault::configuration, up, " spins up on ", sites, " sites; expected 0 to ", sites);
  std::vector<int> all(sites);
  for (int p = 0; p < sites; ++p) all[p] = p;
  std::vector<Determinant> determinants;
  for (const String& alpha : strings_in_shells({{all, up, up}}, up, host))
    determinants.push_back({alpha, String::below(sites) - alpha});
  return determinants;
}

}  // namespace cisolve::ci
