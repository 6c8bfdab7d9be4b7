#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "base/array.hpp"
#include "base/block.hpp"
#include "ci/fock/integrals/integrals.hpp"
#include "ci/selected/packed_determinant.hpp"
#include "ci/selected/selected_list.hpp"

// A partition of the determinants that couple to a list, by their alpha strings. A determinant a is
// reached from i by an alpha link: the alpha strings are the same, a single or a double excitation
// of each other. All that couples to the determinants of one alpha string is found by following its
// links back, so that strings are processed one by one, and a constraint on the highest alpha
// orbitals says which strings are processed together (N. M. Tubman et al., J. Chem. Theory Comput.
// 14, 4360 (2018)). Each link is generated once, from the one side to the other.
namespace cisolve::ci {

/// A list by its alpha strings, with coefficients of some states and thresholds t_i. Within a
/// group, the determinants of one alpha string, thresholds ascend, equal ones by beta string.
template <int W>
struct ParentGroups {
  /// `thresholds`: t_i of each row.
  ParentGroups(const SelectedList<W>& list, base::ConstBlock coefficients,
               std::span<const double> thresholds);

  Index groups() const { return alphas.size(); }
  Index size(Index group) const { return begins[group + 1] - begins[group]; }
  double least_threshold(Index group) const { return thresholds[begins[group]]; }
  const double* coefficients_of(Index parent) const {
    return coefficients.data() + parent * states;
  }
  static Index bytes(Index determinants, int states);  // upper bound

  int orbitals;
  SpinElectrons electrons;
  int states;
  base::Array<OrbitalBits<W>> alphas;  // ascending
  base::Array<Index> begins;           // groups + 1
  base::Array<OrbitalBits<W>> betas;
  base::Array<double> thresholds;
  base::Array<double> coefficients;  // a determinant's coefficients side by side
};

/// The alpha strings that occupy, of the orbitals from `lowest` on, just the `fixed` ones.
template <int W>
struct AlphaConstraint {
  OrbitalBits<W> fixed;
  int lowest;

  /// All strings of this number of electrons.
  static AlphaConstraint none(int orbitals, int electrons) {
    return {{}, electrons > 0 ? orbitals : 0};
  }
  /// Whether more than one string fulfils it.
  bool may_be_refined() const { return lowest > 0; }
  /// The constraint with orbital p < lowest as the next one that is occupied.
  AlphaConstraint with_next(int p, int electrons) const {
    const OrbitalBits<W> more = fixed.flipped(p);
    return {more, more.count() == electrons ? 0 : p};
  }
};

enum class AlphaLinkKind { same, single_excitation, double_excitation };

/// Calls visit(child, kind) for each alpha string of the constraint that is the parent or one of
/// its single excitations, or a double excitation with |(pr|qs) - (ps|qr)| >= least, not 0.
template <int W, class Visit>
void for_each_alpha_link(const Integrals& integrals, const OrbitalBits<W>& parent,
                         const AlphaConstraint<W>& constraint, double least, Visit&& visit) {
  const auto mask = OrbitalBits<W>::below(constraint.lowest);
  const OrbitalBits<W> high = parent - mask;
  const OrbitalBits<W> leaving = high - constraint.fixed;
  const OrbitalBits<W> entering = constraint.fixed - high;
  const int forced_holes = leaving.count();
  const int forced_particles = entering.count();
  if (forced_holes > 2 || forced_particles > 2) return;
  if (forced_holes == 0 && forced_particles == 0) visit(parent, AlphaLinkKind::same);

  std::uint8_t forced_from[2];
  std::uint8_t forced_to[2];
  std::uint8_t from[OrbitalBits<W>::kOrbitals];
  std::uint8_t to[OrbitalBits<W>::kOrbitals];
  leaving.write_orbitals(forced_from);
  entering.write_orbitals(forced_to);
  const int holes = (parent & mask).write_orbitals(from);
  const int particles = (mask - parent).write_orbitals(to);
  const auto for_each_one = [](const std::uint8_t* forced, int forced_count,
                               const std::uint8_t* others, int count, auto&& work) {
    if (forced_count == 1) work(forced[0]);
    if (forced_count == 0)
      for (int i = 0; i < count; ++i) work(others[i]);
  };
  const auto for_each_pair = [](const std::uint8_t* forced, int forced_count,
                                const std::uint8_t* others, int count, auto&& work) {
    if (forced_count == 2) work(forced[0], forced[1]);
    if (forced_count == 1)
      for (int i = 0; i < count; ++i) work(forced[0], others[i]);
    if (forced_count == 0)
      for (int j = 1; j < count; ++j)
        for (int i = 0; i < j; ++i) work(others[i], others[j]);
  };
  for_each_one(forced_from, forced_holes, from, holes, [&](int p) {
    const OrbitalBits<W> without = parent.flipped(p);
    for_each_one(forced_to, forced_particles, to, particles,
                 [&](int r) { visit(without.flipped(r), AlphaLinkKind::single_excitation); });
  });
  for_each_pair(forced_from, forced_holes, from, holes, [&](int p, int q) {
    const OrbitalBits<W> without = parent.flipped(p).flipped(q);
    for_each_pair(forced_to, forced_particles, to, particles, [&](int r, int s) {
      const double size = std::abs(integrals.two(Spin::alpha, p, r, Spin::alpha, q, s) -
                                   integrals.two(Spin::alpha, p, s, Spin::alpha, q, r));
      if (size >= least && size != 0)
        visit(without.flipped(r).flipped(s), AlphaLinkKind::double_excitation);
    });
  });
}

/// Constraints that no string fulfils twice and all strings with links fulfil, ascending by their
/// highest orbitals. Each has at most about `most_links` links and a few hundredths of the work,
/// as far as constraints on three orbitals (two above 64) can do that.
template <int W>
struct AlphaPartition {
  std::vector<AlphaConstraint<W>> constraints;
  std::vector<Index> work;  // an estimate in records, for the order of processing
};
template <int W>
AlphaPartition<W> partition_by_alpha(const ParentGroups<W>& parents, const Integrals& integrals,
                                     Index most_links, const base::Backend& host);

}  // namespace cisolve::ci
