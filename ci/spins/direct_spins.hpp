#pragma once

#include <unordered_map>

#include "ci/direct/rowwise.hpp"
#include "ci/spins/spin_basis.hpp"

namespace cisolve::ci {

/// The same Hamiltonian from the terms of the model and the definition of the states, to verify
/// what a stored one gives. Each state is taken at words of its orbit that are not the least ones,
/// where they can be others; what H makes of the whole vector there is its row. It asks the basis
/// which orbits there are and nothing else: amplitudes are sums over all operations, sites are
/// moved one by one. Host only; what it is made of must outlive it.
class DirectSpins final : public DirectProduct {
 public:
  DirectSpins(const SpinBasis& basis, std::span<const Term> terms);

  Index rows() const override { return basis_.dimension(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  void multiply_rows(std::span<const Index> rows, const double* x,
                     std::span<double> values) const override;
  base::OperatorDescription description() const override { return {"direct", 0, 0, 0}; }
  base::Layout shares(int ranks) const override;
  void keep(Index first, Index count) override;

 private:
  const SpinBasis& basis_;
  std::span<const Term> terms_;
  Index first_orbit_ = 0;  // of those whose rows are kept
  Index last_orbit_;
};

}  // namespace cisolve::ci
