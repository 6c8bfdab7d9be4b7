#pragma once

#include <array>
#include <span>
#include <vector>

#include "ci/fock/counting/counting_number.hpp"
#include "ci/fock/spaces/spaces.hpp"

// Shared by the counts of determinants and of configurations.
namespace cisolve::ci {

/// Three shells of orbitals, given by the XOR labels of their orbitals: electrons missing from the
/// first are holes, electrons in the last are particles, the middle one is unrestricted.
struct LabelledShells {
  std::array<std::vector<int>, 3> labels;
  friend bool operator==(const LabelledShells&, const LabelledShells&) = default;
};

/// The set of (holes, particles) that a space allows.
class HoleParticleSet {
 public:
  HoleParticleSet(int most_holes, int most_particles);

  /// All pairs up to the limits.
  static HoleParticleSet up_to(int holes, int particles);
  /// Pairs (l, l) for each level l.
  static HoleParticleSet at_levels(std::span<const int> levels, int most);

  int most_holes() const { return holes_; }
  int most_particles() const { return particles_; }
  bool allows(int holes, int particles) const {
    return holes >= 0 && holes <= holes_ && particles >= 0 && particles <= particles_ &&
           allowed_[holes * (particles_ + 1) + particles];
  }

 private:
  int holes_;
  int particles_;
  std::vector<bool> allowed_;
};

/// chi(l) = (-1)^popcount(chi & l), 0 <= chi, label < 8: the character group of the XOR labels is
/// the labels again.
int character(int chi, int label);

/// The XOR labels of all orbitals: the sector's, or 0.
std::vector<int> labels_of(const Sector& sector);

/// 8 if any label is not 0, else 1.
int group_order(const std::vector<int>& labels);

/// sum / order; exact, `order` being a power of two.
BigCount divided(const BigCount& sum, int order);

/// sum over choices of k orbitals of the product of chi(label), for k = 0 to labels.size().
std::vector<BigCount> weighted_choices(const std::vector<int>& labels, int chi);

/// Throw ErrorKind::bad_input: require_sector for electrons that do not fit or labels that do not
/// match, require_reference for other electron numbers, shells_of for overlapping shells.
void require_sector(const Sector& sector);
void require_reference(const Sector& sector, const Determinant& reference);
LabelledShells shells_of(const Sector& sector, const RasLimits& limits);

}  // namespace cisolve::ci
