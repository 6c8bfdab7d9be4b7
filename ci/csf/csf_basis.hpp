#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/block.hpp"
#include "ci/spaces/space.hpp"
#include "ci/spaces/spin_functions.hpp"

namespace cisolve::ci {

/// The configuration state functions of one total spin in a space that is closed under S^2: for
/// each choice of empty, singly and doubly occupied orbitals, the spin functions of its singly
/// occupied ones. They are orthonormal, and what they span is all of that spin in the space.
/// Vectors lie in the host's memory; determinants in canonical order.
class CsfBasis {
 public:
  struct Configuration {
    Index first_row;       // in rows(); a row for each pattern of its open shells
    Index first_function;  // its functions stand side by side
    int open;
  };

  /// Neighbouring configurations, by their numbers.
  struct Range {
    Index first;
    Index end;
  };

  /// Throws Fault::bad_input where the space is not closed under S^2, or has no such spin.
  CsfBasis(const Space& space, int twice_spin);

  int twice_spin() const { return twice_spin_; }
  Index functions() const { return functions_; }
  Index determinants() const { return rows_.size(); }

  const base::Array<Configuration>& configurations() const { return configurations_; }
  /// Those whose first functions are `first` or more, and less than `end`.
  Range configurations_of(Index first, Index end) const;
  /// Of each configuration the rows of its determinants.
  const base::Array<Index>& rows() const { return rows_; }
  /// By the number of open orbitals; null where no configuration has so many.
  const std::vector<std::shared_ptr<const SpinFunctions>>& spin_functions() const {
    return spin_functions_;
  }

  /// From coefficients of functions to those of determinants, and back: the second is the transpose
  /// of the first, so it projects. Each sum is a chain of fused multiplications and additions, so
  /// that a device finds the same bits; see CsfChange.
  void expand(base::ConstBlock functions, base::Block determinants) const;
  void contract(base::ConstBlock determinants, base::Block functions) const {
    contract(all(), determinants, functions);
  }
  /// To the functions of some configurations, which are all that there are of them.
  void contract(const Range& some, base::ConstBlock determinants, base::Block functions) const;

  /// <f|H|f> of each function f. Determinants of one configuration differ by exchanges of spins,
  /// and two that differ by one are connected by -(pq|pq). The integrals do not depend on spin.
  base::Array<double> diagonal(const Space& space, const Integrals& integrals) const;

 private:
  std::vector<Index> find_configurations(const Space& space);
  void fill_rows(const Space& space, std::span<const Index> first);
  Range all() const { return {0, configurations_.size()}; }
  template <class Work>
  void for_each_configuration(Work&& work) const;
  template <class Work>
  void for_each_configuration(const Range& some, Work&& work) const;

  int twice_ms_;
  int twice_spin_;
  Index functions_ = 0;
  base::Array<Configuration> configurations_;
  base::Array<Index> rows_;
  std::vector<std::shared_ptr<const SpinFunctions>> spin_functions_;  // by open orbitals
};

}  // namespace cisolve::ci
