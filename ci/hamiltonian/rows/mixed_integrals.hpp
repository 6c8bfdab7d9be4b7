#pragma once

#include <cstdint>

#include "ci/hamiltonian/rows/connections.hpp"

namespace cisolve::ci {

/// (pq|rs) for the pairs of orbitals in which the strings of a space differ: rows are alpha pairs,
/// columns beta pairs. Integrals with |value| <= threshold are 0.
class MixedIntegrals {
 public:
  MixedIntegrals(const Integrals& integrals, const VariableOrbitals& alpha,
                 const VariableOrbitals& beta, double threshold, const base::Backend& host);

  const double* row(Index alpha_pair) const { return values_.data() + alpha_pair * beta_pairs_; }
  /// Bit set of the non-zero elements of a row, words() words.
  const std::uint64_t* nonzeros(Index alpha_pair) const {
    return nonzeros_.data() + alpha_pair * words_;
  }
  /// The fraction of non-zero elements of a row.
  double sources_fraction(Index alpha_pair) const;
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
