#pragma once

#include <array>
#include <span>
#include <vector>

#include "ci/counting/counting_number.hpp"
#include "ci/spaces/spaces.hpp"

// The common ground of counting determinants and counting configurations.
namespace cisolve::ci {

/// Three shells of orbitals, each orbital by its label: electrons missing from the first are
/// holes, electrons in the last are particles, and the middle is free.
struct LabelledShells {
  std::array<std::vector<int>, 3> labels;
  friend bool operator==(const LabelledShells&, const LabelledShells&) = default;
};

/// Which (holes, particles) a space allows.
class Grades {
 public:
  Grades(int most_holes, int most_particles);

  /// All up to the limits.
  static Grades up_to(int holes, int particles);
  /// Equal numbers of both that are one of the levels.
  static Grades at_levels(std::span<const int> levels, int most);

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

/// The eight characters of the group of labels are its labels again: chi(l) = -1 to the number of
/// bits that they share.
int character(int chi, int label);

/// The labels of all orbitals: those of the sector, or 0.
std::vector<int> labels_of(const Sector& sector);

/// 8 with any symmetry, else 1.
int group_order(const std::vector<int>& labels);

/// A sum over all characters, divided by the order of the group or its square.
BigCount divided(const BigCount& sum, int order);

/// How many ways to choose k orbitals of a shell, each choice times the characters of its labels.
std::vector<BigCount> weighted_choices(const std::vector<int>& labels, int chi);

/// These throw Fault::bad_input: for electrons that do not fit or labels that do not match, for a
/// reference of other electrons, and for shells that overlap.
void require_sector(const Sector& sector);
void require_reference(const Sector& sector, const Determinant& reference);
LabelledShells shells_of(const Sector& sector, const RasLimits& limits);

}  // namespace cisolve::ci
