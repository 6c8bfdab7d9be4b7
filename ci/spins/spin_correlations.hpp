#pragma once

#include <optional>
#include <vector>

#include "base/block.hpp"
#include "ci/spins/spin_basis.hpp"

namespace cisolve::ci {

/// What the sites of a state have to do with one another, each the mean of a term of strength 1;
/// of states with a symmetry, the mean over all that it makes of them.
struct SpinCorrelations {
  int sites = 0;
  std::vector<double> z = {};       // <S^z_a>; of electrons 0
  std::vector<double> zz = {};      // <S^z_a S^z_b>, sites by sites; none for electrons
  std::vector<double> dot = {};     // <S_a . S_b>
  std::vector<double> charge = {};  // <n_a n_b> of electrons
  std::vector<double> number = {};  // <n_a>
  std::vector<double> hop = {};     // <a+ b + b+ a>, both spins; on one site <n_a>

  double dot_of(int a, int b) const { return dot[static_cast<std::size_t>(a) * sites + b]; }
  /// <S^2> of all spins together.
  double s2() const;
  /// The mean of a term; none of one that is not among these.
  std::optional<double> mean(const Term& term) const;

 private:
  std::optional<double> mean_of_spins(const Term& term) const;
  std::optional<double> mean_of_electrons(const Term& term) const;
  double at(const std::vector<double>& of_pairs, const Term& term) const {
    return of_pairs[static_cast<std::size_t>(term.first) * sites + term.second];
  }
};

/// How many words are looked up for that.
double correlation_work(const SpinBasis& basis);

/// Of some states, in the memory of a backend. The same bits whatever the number of threads.
std::vector<SpinCorrelations> spin_correlations(const SpinBasis& basis, base::ConstBlock x,
                                                const base::Backend& backend);

}  // namespace cisolve::ci
