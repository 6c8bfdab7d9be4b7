#include "ci/fock/counting/counting.hpp"

#include <algorithm>
#include <map>

#include "ci/fock/counting/counting_shells.hpp"
#include "ci/fock/spaces/singly_occupied.hpp"

namespace cisolve::ci {
namespace {

constexpr int kMostMoved = 2;  // highest excitation level of connected determinants

/// sum over pairs of choices from one shell with `common` orbitals in both, `left` in the left one
/// only and `right` in the right one only, of chi(left choice) psi(right choice).
class ShellPairs {
 public:
  ShellPairs(const std::vector<int>& labels, int most_common, int most_moved, int chi, int psi)
      : moved_(most_moved),
        common_(std::min(most_common, static_cast<int>(std::ssize(labels)))),
        sums_((Index{common_} + 1) * (moved_ + 1) * (moved_ + 1)) {
    sums_[0] = BigCount(1);
    for (const int label : labels) add_orbital(character(chi, label), character(psi, label));
  }

  int most_common() const { return common_; }
  BigCount operator()(int common, int left, int right) const {
    if (common < 0 || common > common_) return BigCount(0);
    return sums_[place(common, left, right)];
  }

 private:
  int place(int common, int left, int right) const {
    return (common * (moved_ + 1) + left) * (moved_ + 1) + right;
  }
  static void add(BigCount& sum, const BigCount& term, int sign) {
    if (sign > 0)
      sum += term;
    else
      sum -= term;
  }
  void add_orbital(int left_sign, int right_sign) {
    for (int c = common_; c >= 0; --c)
      for (int l = moved_; l >= 0; --l)
        for (int r = moved_; r >= 0; --r) {
          BigCount& sum = sums_[place(c, l, r)];
          if (c > 0) add(sum, sums_[place(c - 1, l, r)], left_sign * right_sign);
          if (l > 0) add(sum, sums_[place(c, l - 1, r)], left_sign);
          if (r > 0) add(sum, sums_[place(c, l, r - 1)], right_sign);
        }
  }

  int moved_;
  int common_;
  std::vector<BigCount> sums_;
};

/// Holes and particles of the left string, then of the right one.
using PairGrades = std::array<int, 4>;
using PairSums = std::map<PairGrades, BigCount>;

/// The shells and electrons of one spin.
struct SpinShells {
  LabelledShells shells;
  int electrons;
  friend bool operator==(const SpinShells&, const SpinShells&) = default;
};

/// Sums over pairs of strings of one spin at excitation level 0, 1, ..., by holes and particles.
std::vector<PairSums> string_pairs(const SpinShells& spin, const HoleParticleSet& grades,
                                   int most_moved, int chi, int psi) {
  const auto& [first, middle, last] = spin.shells.labels;
  const int n = spin.electrons;
  const ShellPairs in_first(first, n, most_moved, chi, psi);
  const ShellPairs in_middle(middle, n, most_moved, chi, psi);
  const ShellPairs in_last(last, std::min(n, grades.most_particles()), most_moved, chi, psi);
  const auto full = static_cast<int>(std::ssize(first));
  std::vector<PairSums> sums(most_moved + 1);
  const auto add = [&](int c1, int l1, int r1, int c3, int l3, int r3) {
    const PairGrades pair{full - c1 - l1, c3 + l3, full - c1 - r1, c3 + r3};
    if (std::max(pair[0], pair[2]) > grades.most_holes() ||
        std::max(pair[1], pair[3]) > grades.most_particles())
      return;
    const BigCount outer = in_first(c1, l1, r1) * in_last(c3, l3, r3);
    if (outer.is_zero()) return;
    for (int moved = std::max(l1 + l3, r1 + r3); moved <= most_moved; ++moved) {
      const BigCount inner = in_middle(n - moved - c1 - c3, moved - l1 - l3, moved - r1 - r3);
      if (!inner.is_zero()) sums[moved][pair] += outer * inner;
    }
  };
  const int least = std::max(0, full - grades.most_holes() - most_moved);
  for (int c1 = least; c1 <= in_first.most_common(); ++c1)
    for (int c3 = 0; c3 <= in_last.most_common(); ++c3)
      for (int l1 = 0; l1 <= most_moved; ++l1)
        for (int r1 = 0; r1 <= most_moved; ++r1)
          for (int l3 = 0; l1 + l3 <= most_moved; ++l3)
            for (int r3 = 0; r1 + r3 <= most_moved; ++r3) add(c1, l1, r1, c3, l3, r3);
  return sums;
}

struct CountedSpace {
  SpinShells alpha;
  SpinShells beta;
  HoleParticleSet grades;
};

/// sum over pairs of determinants at most `most_moved` excitations apart of chi(left) psi(right).
BigCount determinant_pairs(const CountedSpace& space, int most_moved, int chi, int psi) {
  const auto alpha = string_pairs(space.alpha, space.grades, most_moved, chi, psi);
  const auto beta = space.beta == space.alpha
                        ? alpha
                        : string_pairs(space.beta, space.grades, most_moved, chi, psi);
  BigCount sum;
  for (int moved = 0; moved <= most_moved; ++moved)
    for (int others = 0; moved + others <= most_moved; ++others)
      for (const auto& [a, of_alpha] : alpha[moved])
        for (const auto& [b, of_beta] : beta[others])
          if (space.grades.allows(a[0] + b[0], a[1] + b[1]) &&
              space.grades.allows(a[2] + b[2], a[3] + b[3]))
            sum += of_alpha * of_beta;
  return sum;
}

BigCount signed_count(const BigCount& value, int sign) {
  return sign > 0 ? value : BigCount(0) - value;
}

BigCount count_determinants(const CountedSpace& space, const Sector& sector, int order) {
  if (!sector.irrep) return determinant_pairs(space, 0, 0, 0);
  BigCount sum;
  for (int chi = 0; chi < order; ++chi)
    sum += signed_count(determinant_pairs(space, 0, chi, 0), character(chi, *sector.irrep));
  return divided(sum, order);
}

BigCount count_pattern(const CountedSpace& space, const Sector& sector, int order) {
  BigCount sum;
  if (!sector.irrep) {  // pairs of the same irrep
    for (int chi = 0; chi < order; ++chi) sum += determinant_pairs(space, kMostMoved, chi, chi);
    return divided(sum, order);
  }
  for (int chi = 0; chi < order; ++chi)
    for (int psi = 0; psi <= chi; ++psi) {
      const BigCount pairs = determinant_pairs(space, kMostMoved, chi, psi);
      const BigCount both = psi == chi ? pairs : pairs + pairs;
      sum += signed_count(both, character(chi ^ psi, *sector.irrep));
    }
  return divided(sum, order * order);
}

bool is_empty(const Sector& sector, int order) {
  return order == 1 && sector.irrep.value_or(0) != 0;
}

SpaceCount count(const CountedSpace& space, const Sector& sector) {
  const int order = group_order(labels_of(sector));
  if (is_empty(sector, order)) return {};
  return {count_determinants(space, sector, order), count_pattern(space, sector, order)};
}

BigCount dimension(const CountedSpace& space, const Sector& sector) {
  const int order = group_order(labels_of(sector));
  return is_empty(sector, order) ? BigCount() : count_determinants(space, sector, order);
}

CountedSpace whole(const Sector& sector) {
  const LabelledShells shells{{std::vector<int>{}, labels_of(sector), std::vector<int>{}}};
  return {{shells, sector.alpha_electrons},
          {shells, sector.beta_electrons},
          HoleParticleSet::up_to(0, 0)};
}

CountedSpace restricted(const Sector& sector, const RasLimits& limits) {
  const LabelledShells shells = shells_of(sector, limits);
  return {{shells, sector.alpha_electrons},
          {shells, sector.beta_electrons},
          HoleParticleSet::up_to(limits.holes, limits.particles)};
}

SpinShells around(const String& reference, const std::vector<int>& labels) {
  SpinShells spin{{}, reference.count()};
  for (std::size_t p = 0; p < labels.size(); ++p)
    spin.shells.labels[reference.has(static_cast<int>(p)) ? 0 : 2].push_back(labels[p]);
  return spin;
}

CountedSpace excited(const Sector& sector, const Determinant& reference,
                     std::span<const int> levels) {
  const std::vector<int> labels = labels_of(sector);
  return {around(reference.alpha, labels), around(reference.beta, labels),
          HoleParticleSet::at_levels(levels, sector.alpha_electrons + sector.beta_electrons)};
}

}  // namespace

SpaceCount count_full_ci(const Sector& sector) {
  require_sector(sector);
  return count(whole(sector), sector);
}

SpaceCount count_excited_space(const Sector& sector, const Determinant& reference,
                               std::span<const int> levels) {
  require_sector(sector);
  require_reference(sector, reference);
  return count(excited(sector, reference, levels), sector);
}

SpaceCount count_restricted_active_space(const Sector& sector, const RasLimits& limits) {
  require_sector(sector);
  return count(restricted(sector, limits), sector);
}

BigCount singly_occupied_dimension(const Sector& sector) {
  require_singly_occupied(sector);
  const int left = sector.orbitals - sector.alpha_electrons;
  return binomials(sector.orbitals)[sector.alpha_electrons] *
         binomials(left)[sector.beta_electrons];
}

BigCount full_ci_dimension(const Sector& sector) {
  require_sector(sector);
  return dimension(whole(sector), sector);
}

BigCount excited_dimension_lower_bound(const Sector& sector,
                                       std::span<const Determinant> references,
                                       std::span<const int> levels) {
  require_sector(sector);
  BigCount most;
  for (const Determinant& reference : references) {
    require_reference(sector, reference);
    const BigCount here = dimension(excited(sector, reference, levels), sector);
    if (most < here) most = here;
  }
  return most;
}

BigCount restricted_dimension(const Sector& sector, const RasLimits& limits) {
  require_sector(sector);
  return dimension(restricted(sector, limits), sector);
}

BigCount count_strings(int orbitals, int electrons, int level) {
  const std::vector<BigCount> from = binomials(electrons);
  const std::vector<BigCount> to = binomials(orbitals - electrons);
  BigCount sum;
  for (std::size_t moved = 0; moved < std::min(from.size(), to.size()); ++moved)
    if (static_cast<int>(moved) <= level) sum += from[moved] * to[moved];
  return sum;
}

BigCount multi_reference_upper_bound(const Sector& sector, std::span<const Determinant> references,
                                     std::span<const int> levels) {
  require_sector(sector);
  const int order = group_order(labels_of(sector));
  BigCount sum;
  for (const Determinant& reference : references) {
    require_reference(sector, reference);
    sum += count_determinants(excited(sector, reference, levels), sector, order);
  }
  const BigCount all = full_ci_dimension(sector);
  return all < sum ? all : sum;
}

}  // namespace cisolve::ci
