#include <map>

#include "ci/fock/counting/counting.hpp"
#include "ci/fock/counting/counting_shells.hpp"

namespace cisolve::ci {
namespace {

/// A class of partial configurations.
struct ConfigurationClass {
  int electrons = 0;
  int holes = 0;
  int particles = 0;
  int open = 0;  // singly occupied orbitals
  auto operator<=>(const ConfigurationClass&) const = default;
};
using ClassSums = std::map<ConfigurationClass, BigCount>;

/// The occupation of a shell in the reference, which defines holes and particles: doubly occupied
/// (missing electrons are holes), free (neither), singly occupied (empty orbitals are holes, doubly
/// occupied ones particles), or empty (electrons are particles).
enum class ReferenceOccupation { full, free, half, empty };

struct CsfShell {
  ReferenceOccupation filling;
  std::vector<int> labels;
};

ConfigurationClass class_of(const CsfShell& shell, int open, int doubly) {
  const auto orbitals = static_cast<int>(std::ssize(shell.labels));
  const int electrons = open + 2 * doubly;
  switch (shell.filling) {
    case ReferenceOccupation::full: return {electrons, 2 * orbitals - electrons, 0, open};
    case ReferenceOccupation::half: return {electrons, orbitals - open - doubly, doubly, open};
    case ReferenceOccupation::empty: return {electrons, 0, electrons, open};
    case ReferenceOccupation::free: break;
  }
  return {electrons, 0, 0, open};
}

struct CsfSpace {
  std::vector<CsfShell> shells;
  HoleParticleSet grades;
  int electrons;
};

bool within(const CsfSpace& space, const ConfigurationClass& c) {
  return c.electrons <= space.electrons && c.holes <= space.grades.most_holes() &&
         c.particles <= space.grades.most_particles();
}

/// Counts of the configurations of one shell, weighted by the characters of their open orbitals;
/// doubly occupied orbitals are totally symmetric.
ClassSums shell_classes(const CsfSpace& space, const CsfShell& shell, int chi) {
  const auto orbitals = static_cast<int>(std::ssize(shell.labels));
  const std::vector<BigCount> open_choices = weighted_choices(shell.labels, chi);
  ClassSums sums;
  for (int open = 0; open <= orbitals; ++open) {
    const std::vector<BigCount> doubly_choices = binomials(orbitals - open);
    for (int doubly = 0; doubly <= orbitals - open; ++doubly) {
      const ConfigurationClass c = class_of(shell, open, doubly);
      if (within(space, c)) sums[c] += open_choices[open] * doubly_choices[doubly];
    }
  }
  return sums;
}

/// Number of spin functions of spin S of `open` electrons: C(open, k) - C(open, k - 1), k = open /
/// 2 - S.
BigCount spin_functions(int open, int twice_spin) {
  if (open < twice_spin || (open - twice_spin) % 2 != 0) return BigCount(0);
  const int k = (open - twice_spin) / 2;
  const std::vector<BigCount> choices = binomials(open);
  return k == 0 ? choices[0] : choices[k] - choices[k - 1];
}

BigCount csfs_weighted(const CsfSpace& space, int twice_spin, int chi) {
  ClassSums all{{ConfigurationClass{}, BigCount(1)}};
  for (const CsfShell& shell : space.shells) {
    const ClassSums here = shell_classes(space, shell, chi);
    ClassSums next;
    for (const auto& [a, ways] : all)
      for (const auto& [b, more] : here) {
        const ConfigurationClass c{a.electrons + b.electrons, a.holes + b.holes,
                                   a.particles + b.particles, a.open + b.open};
        if (within(space, c)) next[c] += ways * more;
      }
    all = std::move(next);
  }
  BigCount sum;
  for (const auto& [c, ways] : all)
    if (c.electrons == space.electrons && space.grades.allows(c.holes, c.particles))
      sum += ways * spin_functions(c.open, twice_spin);
  return sum;
}

BigCount count(const CsfSpace& space, const Sector& sector, int twice_spin) {
  if (twice_spin < 0) return BigCount(0);
  const int order = group_order(labels_of(sector));
  if (!sector.irrep) return csfs_weighted(space, twice_spin, 0);
  if (order == 1 && *sector.irrep != 0) return BigCount(0);
  BigCount sum;
  for (int chi = 0; chi < order; ++chi) {
    const BigCount weighted = csfs_weighted(space, twice_spin, chi);
    sum += character(chi, *sector.irrep) > 0 ? weighted : BigCount(0) - weighted;
  }
  return divided(sum, order);
}

int electrons_of(const Sector& sector) { return sector.alpha_electrons + sector.beta_electrons; }

}  // namespace

BigCount count_full_ci_csfs(const Sector& sector, int twice_spin) {
  require_sector(sector);
  return count({{{ReferenceOccupation::free, labels_of(sector)}},
                HoleParticleSet::up_to(0, 0),
                electrons_of(sector)},
               sector, twice_spin);
}

BigCount count_excited_csfs(const Sector& sector, const Determinant& reference,
                            std::span<const int> levels, int twice_spin) {
  require_sector(sector);
  require_reference(sector, reference);
  const std::vector<int> labels = labels_of(sector);
  CsfShell full{ReferenceOccupation::full, {}};
  CsfShell half{ReferenceOccupation::half, {}};
  CsfShell empty{ReferenceOccupation::empty, {}};
  for (int p = 0; p < sector.orbitals; ++p) {
    const int occupation = (reference.alpha.has(p) ? 1 : 0) + (reference.beta.has(p) ? 1 : 0);
    (occupation == 2 ? full : occupation == 1 ? half : empty).labels.push_back(labels[p]);
  }
  return count({{full, half, empty},
                HoleParticleSet::at_levels(levels, electrons_of(sector)),
                electrons_of(sector)},
               sector, twice_spin);
}

BigCount count_restricted_active_csfs(const Sector& sector, const RasLimits& limits,
                                      int twice_spin) {
  require_sector(sector);
  const LabelledShells shells = shells_of(sector, limits);
  return count({{{ReferenceOccupation::full, shells.labels[0]},
                 {ReferenceOccupation::free, shells.labels[1]},
                 {ReferenceOccupation::empty, shells.labels[2]}},
                HoleParticleSet::up_to(limits.holes, limits.particles),
                electrons_of(sector)},
               sector, twice_spin);
}

}  // namespace cisolve::ci
