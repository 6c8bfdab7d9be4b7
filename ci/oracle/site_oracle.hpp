#pragma once

#include <unordered_map>

#include "ci/lattice/spins/symmetry_adapted_basis.hpp"
#include "ci/oracle/rowwise.hpp"

namespace cisolve::ci {

/// Oracle for lattice models: H from the terms of the model and the definition of the states,
/// independent of stored and on-the-fly products. For each orbit H x is evaluated at words other
/// than the representative, if it has others. Of the basis it uses the list of orbits alone:
/// amplitudes are sums over all operations, and sites are permuted one by one. Host only; keeps
/// references to its arguments.
class SiteOracle final : public OracleProduct {
 public:
  SiteOracle(const SymmetryAdaptedBasis& basis, std::span<const Term> terms);

  Index rows() const override { return basis_.dimension(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  void multiply_rows(std::span<const Index> rows, const double* x,
                     std::span<double> values) const override;
  base::OperatorDescription description() const override { return {"direct", 0, 0, 0}; }
  base::Layout row_layout(int ranks) const override;
  void keep_rows(Index first, Index count) override;

 private:
  const SymmetryAdaptedBasis& basis_;
  std::span<const Term> terms_;
  Index first_orbit_ = 0;  // first orbit of the rows kept
  Index last_orbit_;
};

}  // namespace cisolve::ci
