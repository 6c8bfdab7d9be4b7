#pragma once

#include <functional>
#include <unordered_map>

#include "ci/direct/rowwise.hpp"
#include "ci/spins/spin_basis.hpp"

namespace cisolve::ci {

/// The same Hamiltonian from the terms of the model and the definition of the states, to verify
/// what a stored one gives. Each state is taken at words of its orbit that are not the least ones,
/// where they can be others; what H makes of the whole vector there is its row. It asks the basis
/// which orbits there are and nothing else: amplitudes are sums over all operations, sites are
/// moved one by one. Host only; what it is made of must outlive it.
class DirectSpins final : public RowwiseOperator {
 public:
  DirectSpins(const SpinBasis& basis, std::span<const Term> terms);

  Index rows() const override { return basis_.dimension(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  void multiply_rows(std::span<const Index> rows, const double* x,
                     std::span<double> values) const override;
  base::OperatorDescription description() const override { return {"direct", 0, 0, 0}; }

  /// From now on `hear` is told, from any thread, of the rows of a product that are done.
  void watch(std::function<void(Index rows)> hear) { hear_ = std::move(hear); }

 private:
  const SpinBasis& basis_;
  std::span<const Term> terms_;
  std::function<void(Index)> hear_;
};

}  // namespace cisolve::ci
