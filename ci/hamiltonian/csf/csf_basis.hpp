#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/block.hpp"
#include "ci/fock/spaces/space.hpp"
#include "ci/fock/spaces/spin_functions.hpp"

namespace cisolve::ci {

/// Configuration state functions of one total spin in a space that is closed under S^2: for each
/// configuration (empty, singly and doubly occupied orbitals) the spin functions of its open
/// shells. They are an orthonormal basis of the states of that spin. Vectors are in host memory,
/// determinants in canonical order.
class CsfBasis {
 public:
  struct Configuration {
    Index first_row;       // index in rows(), which has one entry per spin pattern
    Index first_function;  // the functions of a configuration are contiguous
    int open;
  };

  /// A contiguous range of configurations, [first, end).
  struct Range {
    Index first;
    Index end;
  };

  /// Throws ErrorKind::bad_input if the space is not closed under S^2 or has no such spin.
  CsfBasis(const Space& space, int twice_spin);

  int twice_spin() const { return twice_spin_; }
  Index functions() const { return functions_; }
  Index determinants() const { return rows_.size(); }

  const base::Array<Configuration>& configurations() const { return configurations_; }
  /// The configurations whose first function is in [first, end).
  Range configurations_of(Index first, Index end) const;
  /// The rows of the determinants of each configuration.
  const base::Array<Index>& rows() const { return rows_; }
  /// The spin functions, by the number of open orbitals; null if no configuration has that many.
  const std::vector<std::shared_ptr<const SpinFunctions>>& spin_functions() const {
    return spin_functions_;
  }

  /// expand: determinants = U functions; contract: functions = U^T determinants, a projection. Each
  /// sum is one chain of fused multiply-adds, so that a device gives the same bits; see
  /// CsfTransform.
  void expand(base::ConstBlock functions, base::Block determinants) const;
  void contract(base::ConstBlock determinants, base::Block functions) const {
    contract(all(), determinants, functions);
  }
  /// Contracts to the functions of some configurations, the only rows of `functions`.
  void contract(const Range& some, base::ConstBlock determinants, base::Block functions) const;

  /// <f|H|f> of each function f. Determinants of one configuration that differ by a spin exchange
  /// of p and q are coupled by -(pq|pq). The integrals must not depend on spin.
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
  /// Indexed by the number of open orbitals.
  std::vector<std::shared_ptr<const SpinFunctions>> spin_functions_;
};

}  // namespace cisolve::ci
