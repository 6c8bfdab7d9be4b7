#pragma once

#include <cstdint>

#include "ci/hamiltonian/connections.hpp"

namespace cisolve::ci {

/// (pq|rs) for the pairs of orbitals in which the strings of a space differ: rows are alpha pairs,
/// columns beta pairs. What is not above the threshold is 0.
class MixedIntegrals {
 public:
  MixedIntegrals(const Integrals& integrals, const VariableOrbitals& alpha,
                 const VariableOrbitals& beta, double threshold, const base::Backend& host);

  const double* row(Index alpha_pair) const { return values_.data() + alpha_pair * beta_pairs_; }
  /// Which elements of a row are not 0: a set of bits in so many words.
  const std::uint64_t* nonzeros(Index alpha_pair) const {
    return nonzeros_.data() + alpha_pair * words_;
  }
  /// Of the beta pairs with which an alpha pair has an integral that is not 0.
  double share(Index alpha_pair) const;
  std::span<const double> all() const { return values_.span(); }
  Index words() const { return words_; }

 private:
  friend class RowTables;
  Index beta_pairs_;
  Index words_;
  base::Array<double> values_;
  base::Array<std::uint64_t> nonzeros_;
};

}  // namespace cisolve::ci
