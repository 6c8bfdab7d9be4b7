#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/operator.hpp"
#include "ci/fock/spaces/space.hpp"

// Weights of a state. `x`: vector over its space in canonical order, in the host's memory.
namespace cisolve::ci {

/// The `count` rows with the largest |x|, descending; ties by row.
std::vector<Index> dominant_rows(std::span<const double> x, Index count, const base::Backend& host);

/// The weight in each irrep, by the XOR labels of the orbitals.
std::array<double, 8> irrep_weights(const Space& space, std::span<const int> labels,
                                    const double* x);

/// The weight on the given determinants that are in the space.
double weight_of(const Space& space, std::span<const Determinant> determinants, const double* x);

/// The XOR label of each determinant as a diagonal operator, to separate the irreps of states.
class IrrepLabels final : public base::LinearOperator {
 public:
  IrrepLabels(const Space& space, std::span<const int> labels);

  Index rows() const override { return labels_.size(); }
  void apply(base::ConstBlock x, base::Block y) const override;

 private:
  base::Array<std::int8_t> labels_;
};

}  // namespace cisolve::ci
