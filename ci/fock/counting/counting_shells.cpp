#include "ci/fock/counting/counting_shells.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "ci/fock/integrals/symmetry.hpp"

namespace cisolve::ci {

HoleParticleSet::HoleParticleSet(int most_holes, int most_particles)
    : holes_(most_holes),
      particles_(most_particles),
      allowed_((Index{most_holes} + 1) * (most_particles + 1), false) {}

HoleParticleSet HoleParticleSet::up_to(int holes, int particles) {
  HoleParticleSet grades(std::max(holes, 0), std::max(particles, 0));
  std::fill(grades.allowed_.begin(), grades.allowed_.end(), true);
  return grades;
}

HoleParticleSet HoleParticleSet::at_levels(std::span<const int> levels, int most) {
  int highest = 0;
  for (const int level : levels) highest = std::max(highest, std::min(level, most));
  HoleParticleSet grades(highest, highest);
  for (const int level : levels)
    if (level >= 0 && level <= highest) grades.allowed_[level * (highest + 1) + level] = true;
  return grades;
}

int character(int chi, int label) {
  return std::popcount(static_cast<unsigned>(chi & label)) % 2 == 0 ? 1 : -1;
}

std::vector<int> labels_of(const Sector& sector) {
  return sector.irreps.empty() ? std::vector<int>(sector.orbitals, 0) : sector.irreps;
}

int group_order(const std::vector<int>& labels) { return has_symmetry(labels) ? 8 : 1; }

BigCount divided(const BigCount& sum, int order) {
  return sum.shifted_right(std::countr_zero(static_cast<unsigned>(order)));
}

std::vector<BigCount> weighted_choices(const std::vector<int>& labels, int chi) {
  std::vector<BigCount> sums{BigCount(1)};
  for (const int label : labels) {
    sums.emplace_back();
    for (auto k = std::ssize(sums) - 1; k > 0; --k) {
      if (character(chi, label) > 0)
        sums[k] += sums[k - 1];
      else
        sums[k] -= sums[k - 1];
    }
  }
  return sums;
}

void require_sector(const Sector& sector) {
  using base::ErrorKind;
  if (sector.orbitals < 1 || sector.orbitals > kMostOrbitals)
    base::fail(ErrorKind::bad_input, sector.orbitals, " orbitals; expected 1 to ", kMostOrbitals);
  for (const int electrons : {sector.alpha_electrons, sector.beta_electrons})
    if (electrons < 0 || electrons > sector.orbitals)
      base::fail(ErrorKind::bad_input, electrons, " electrons of one spin in ", sector.orbitals,
                 " orbitals; expected 0 to ", sector.orbitals);
  if (!sector.irreps.empty() && std::ssize(sector.irreps) != sector.orbitals)
    base::fail(ErrorKind::bad_input, sector.irreps.size(), " irreps for ", sector.orbitals,
               " orbitals; expected one per orbital");
}

void require_reference(const Sector& sector, const Determinant& reference) {
  const String all = String::below(sector.orbitals);
  if (reference.alpha.count() == sector.alpha_electrons &&
      reference.beta.count() == sector.beta_electrons && (reference.alpha - all).empty() &&
      (reference.beta - all).empty())
    return;
  base::fail(base::ErrorKind::bad_input, "the reference ", to_text(reference, sector.orbitals),
             "; expected ", sector.alpha_electrons, " alpha and ", sector.beta_electrons,
             " beta electrons in orbitals 1 to ", sector.orbitals);
}

LabelledShells shells_of(const Sector& sector, const RasLimits& limits) {
  std::vector<int> shell_of(sector.orbitals, 1);
  for (const int shell : {0, 2})
    for (const int p : shell == 0 ? limits.ras1 : limits.ras3) {
      if (p < 0 || p >= sector.orbitals || shell_of[p] != 1)
        base::fail(base::ErrorKind::bad_input, "orbital ", p + 1,
                   " of ras1 or ras3 is out of range or repeated; expected orbitals ", "1 to ",
                   sector.orbitals, ", each in at most one of them");
      shell_of[p] = shell;
    }
  const std::vector<int> labels = labels_of(sector);
  LabelledShells shells;
  for (int p = 0; p < sector.orbitals; ++p) shells.labels[shell_of[p]].push_back(labels[p]);
  return shells;
}

}  // namespace cisolve::ci
