#include "ci/fock/models/electron_models.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "ci/fock/strings/string_sets.hpp"

namespace cisolve::ci {
namespace {

using base::ErrorKind;

void set_two(Integrals& integrals, int p, int q, int r, int s, double value) {
  integrals.set_two(Spin::alpha, p, q, Spin::alpha, r, s, value);
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

Integrals electrons_on(int sites, std::span<const Term> terms, const base::Backend& host) {
  Integrals integrals(sites, false, host);
  const auto add_two = [&](int p, int q, int r, int s, double value) {
    set_two(integrals, p, q, r, s, integrals.two(Spin::alpha, p, q, Spin::alpha, r, s) + value);
  };
  for (const auto& [kind, a, b, strength] : terms) {
    if (kind == TermKind::hop)
      integrals.set_one(Spin::alpha, a, b, integrals.one(Spin::alpha, a, b) - strength);
    else if (kind == TermKind::energy)
      integrals.set_one(Spin::alpha, a, a, integrals.one(Spin::alpha, a, a) + strength);
    else if (kind == TermKind::repel || kind == TermKind::repel_on_site)
      add_two(a, a, b, b, strength);
    else if (kind == TermKind::couple) {
      // An exchange integral K contributes -K (2 S_a . S_b + n_a n_b / 2).
      add_two(a, b, b, a, -strength / 2);
      add_two(a, a, b, b, -strength / 4);
    } else
      base::fail(ErrorKind::configuration, "the term ", name_of(kind),
                 " does not act on electrons; expected t, V, U, e or J");
  }
  return integrals;
}

Integrals hubbard(const Hubbard& model, const base::Backend& host) {
  std::vector<Term> terms = on_bonds(model.shape, 1, TermKind::hop, model.t);
  append(terms, on_bonds(model.shape, 1, TermKind::repel, model.v));
  append(terms, on_sites(model.shape.sites(), TermKind::repel_on_site, model.u));
  return electrons_on(model.shape.sites(), terms, host);
}

std::vector<Position> positions(const LatticeShape& shape, double spacing) {
  require_shape(shape);
  if (shape.rows == 1 && shape.periodic_columns) return polygon(shape.columns, spacing);
  if (shape.periodic_columns || shape.periodic_rows)
    base::fail(ErrorKind::configuration,
               "a periodic rectangle has no positions in space; give positions, "
               "or use open boundaries");
  std::vector<Position> sites;
  const double step = shape.rows == 1 ? spacing * std::numbers::sqrt3 / 2 : spacing;
  for (int y = 0; y < shape.rows; ++y)
    for (int x = 0; x < shape.columns; ++x)
      sites.push_back({step * x, shape.rows == 1 ? spacing / 2 * (x % 2) : spacing * y, 0});
  return sites;
}

Integrals pariser_parr_pople(const PariserParrPople& model, const base::Backend& host) {
  const int count = model.shape.sites();
  if (!(model.u > 0) || !(model.spacing > 0))
    base::fail(ErrorKind::configuration, "U is ", model.u, " and the spacing is ", model.spacing,
               "; expected both above 0");
  const auto sites = model.sites.empty() ? positions(model.shape, model.spacing) : model.sites;
  if (std::ssize(sites) != count)
    base::fail(ErrorKind::configuration, sites.size(), " positions for ", count, " sites");
  Integrals integrals = electrons_on(count, on_bonds(model.shape, 1, TermKind::hop, model.t), host);
  double core = 0;
  for (int i = 0; i < count; ++i) {
    double attraction = 0;
    set_two(integrals, i, i, i, i, model.u);
    for (int j = 0; j < count; ++j) {
      if (j == i) continue;
      const double r = distance(sites[i], sites[j]);
      const double g = model.repulsion == Repulsion::ohno ? 1 / std::hypot(r, 1 / model.u)
                                                          : 1 / (r + 1 / model.u);
      set_two(integrals, i, i, j, j, g);
      attraction -= g;
      core += g / 2;
    }
    integrals.set_one(Spin::alpha, i, i, attraction);
  }
  integrals.set_core_energy(core);
  return integrals;
}

std::vector<Determinant> one_electron_a_site(int sites, int up, const base::Backend& host) {
  if (sites < 1 || sites > kMostOrbitals || up < 0 || up > sites)
    base::fail(ErrorKind::configuration, up, " spins up on ", sites, " sites; expected 0 to ",
               sites);
  std::vector<int> all(sites);
  for (int p = 0; p < sites; ++p) all[p] = p;
  std::vector<Determinant> determinants;
  for (const String& alpha : strings_in_shells({{all, up, up}}, up, host))
    determinants.push_back({alpha, String::below(sites) - alpha});
  return determinants;
}

}  // namespace cisolve::ci
