#pragma once

#include <optional>
#include <vector>

#include "base/block.hpp"
#include "ci/lattice/spins/symmetry_adapted_basis.hpp"

namespace cisolve::ci {

/// Expectation values of one state, each of a term of strength 1, averaged over symmetry-equivalent
/// pairs.
struct CorrelationFunctions {
  int sites = 0;
  std::vector<double> z = {};       // <S^z_a>; 0 for electrons
  std::vector<double> zz = {};      // <S^z_a S^z_b>, sites x sites; empty for electrons
  std::vector<double> dot = {};     // <S_a . S_b>
  std::vector<double> charge = {};  // <n_a n_b>; electrons only
  std::vector<double> number = {};  // <n_a>
  std::vector<double> hop = {};     // <a+ b + b+ a>, both spins; on one site <n_a>

  double dot_of(int a, int b) const { return dot[static_cast<std::size_t>(a) * sites + b]; }
  /// <S^2> of the whole system.
  double s2() const;
  /// The expectation value of a term; nullopt if it is not covered.
  std::optional<double> mean(const Term& term) const;

 private:
  std::optional<double> mean_of_spins(const Term& term) const;
  std::optional<double> mean_of_electrons(const Term& term) const;
  double at(const std::vector<double>& of_pairs, const Term& term) const {
    return of_pairs[static_cast<std::size_t>(term.first) * sites + term.second];
  }
};

/// Estimated number of words to look up for this.
double correlation_work(const SymmetryAdaptedBasis& basis);

/// Correlations of states x in the memory of `backend`. The same bits for any number of threads.
std::vector<CorrelationFunctions> correlation_functions(const SymmetryAdaptedBasis& basis,
                                                        base::ConstBlock x,
                                                        const base::Backend& backend);

}  // namespace cisolve::ci
