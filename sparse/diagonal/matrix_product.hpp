#pragma once

#include <memory>

#include "sparse/diagonal/pairs.hpp"

// Products of matrices stored by diagonals. The diagonals of the result follow from the operands'
// diagonals, so the result is allocated once and each element is written once.
namespace cisolve::sparse {

/// A product planned on a backend; reusable as long as only values change.
class DiagonalProductPlan {
 public:
  /// If `half`, A B is symmetric and one half is stored. `further` are shifts of additional
  /// diagonals of the result.
  DiagonalProductPlan(const DiagonalOperand& a, const DiagonalOperand& b, bool half = false,
                      const std::vector<Index>& further = {});
  ~DiagonalProductPlan();
  DiagonalProductPlan(DiagonalProductPlan&&) noexcept;
  DiagonalProductPlan& operator=(DiagonalProductPlan&&) noexcept;

  const ProductPairs& pairs() const;
  /// Allocates the result, uninitialised.
  Diagonal allocate() const;
  /// C = A B + beta C; if beta = 0, the old C is not read. A, B and C have the diagonals of the
  /// plan's operands and result.
  void multiply(const Diagonal& a, const Diagonal& b, double beta, Diagonal& c) const;

  struct Plan;

 private:
  std::unique_ptr<const Plan> plan_;
};

/// A B, or A B + C if `plus` is given; each operand may be transposed.
Diagonal multiply(const DiagonalOperand& a, const DiagonalOperand& b,
                  const Diagonal* plus = nullptr);

/// A A^T + C, symmetric, one half stored: a rank-k update (BLAS SYRK).
Diagonal rank_update(const DiagonalOperand& a, const Diagonal* plus = nullptr);

/// A B^T + B A^T + C, symmetric, one half stored: a rank-2k update (BLAS SYR2K).
Diagonal rank_2_update(const DiagonalOperand& a, const DiagonalOperand& b,
                       const Diagonal* plus = nullptr);

}  // namespace cisolve::sparse
