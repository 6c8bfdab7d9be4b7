#include "job/states/size_corrections.hpp"

#include <algorithm>

#include "ci/oracle/element.hpp"
#include "ci/properties/size_consistency.hpp"

namespace cisolve::job {
namespace {

// A smaller weight on the references is rounding, as in a state of another symmetry.
constexpr double kLeastWeight = 1e-8;

/// The highest excitation level from its references that a space holds; 0 for a space without.
Index highest_level(const Request::Space& space) {
  switch (space.kind) {
    case SpaceKind::cid:
    case SpaceKind::cisd: return 2;
    case SpaceKind::cisdt: return 3;
    case SpaceKind::cisdtq: return 4;
    case SpaceKind::ci:
    case SpaceKind::mrci: return space.level;
    default: return 0;
  }
}

/// The highest excitation level that there is.
Index most_excited(const ci::Space& space) {
  Index most = 0;
  for (const ci::Spin spin : {ci::Spin::alpha, ci::Spin::beta})
    most += std::min(space.electrons(spin), space.orbitals() - space.electrons(spin));
  return most;
}

}  // namespace

bool has_size_corrections(const Request& request, const DeterminantProblem& molecule) {
  const Index level = highest_level(request.space);
  return level >= 2 && level < most_excited(molecule.space) && !molecule.space.references().empty();
}

std::optional<ReferenceEnergy> reference_energy(const DeterminantProblem& molecule, const double* x,
                                                double energy) {
  const ci::Space& space = molecule.space;
  std::vector<Index> rows;
  for (const ci::Determinant& reference : space.references())
    if (const auto row = space.row_of(reference)) rows.push_back(*row);
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  std::vector<ci::Determinant> determinants;
  for (const Index row : rows) determinants.push_back(space.determinant(row));
  double weight = 0;
  double product = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double c = x[rows[i]];
    weight += c * c;
    product += c * c * ci::element(molecule.integrals, determinants[i], determinants[i]);
    for (std::size_t j = 0; j < i; ++j)
      product +=
          2 * c * x[rows[j]] * ci::element(molecule.integrals, determinants[i], determinants[j]);
  }
  if (!(weight > kLeastWeight)) return std::nullopt;
  const int electrons = space.electrons(ci::Spin::alpha) + space.electrons(ci::Spin::beta);
  ReferenceEnergy found{.energy = product / weight, .weight = weight};
  if (const auto c = ci::size_corrections(energy, found.energy, weight, electrons))
    found.corrections = EnergyCorrections{c->davidson, c->renormalised, c->pople};
  return found;
}

}  // namespace cisolve::job
