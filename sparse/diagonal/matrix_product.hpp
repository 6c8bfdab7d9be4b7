#pragma once

#include <memory>

#include "sparse/diagonal/pairs.hpp"

// Products of matrices in diagonals. The diagonals of the result are known before its values, so it
// is allocated as large as it is, and each of its elements is written once.
namespace cisolve::sparse {

/// The plan of a product on a backend, which serves as often as the values change.
class DiagonalProduct {
 public:
  /// With `half`, A B is symmetric and only one half of it is held. `further` are diagonals that
  /// the result shall have besides.
  DiagonalProduct(const DiagonalOperand& a, const DiagonalOperand& b, bool half = false,
                  const std::vector<Index>& further = {});
  ~DiagonalProduct();
  DiagonalProduct(DiagonalProduct&&) noexcept;
  DiagonalProduct& operator=(DiagonalProduct&&) noexcept;

  const ProductPairs& pairs() const;
  /// Room for the result.
  Diagonal allocate() const;
  /// C = A B + beta C; with beta = 0 the old C is not read. The matrices have the diagonals of
  /// those that the plan was made for, C those of the result.
  void multiply(const Diagonal& a, const Diagonal& b, double beta, Diagonal& c) const;

  struct Plan;

 private:
  std::unique_ptr<const Plan> plan_;
};

/// A B, and A B + C where `plus` is given, with any of them transposed beforehand.
Diagonal multiply(const DiagonalOperand& a, const DiagonalOperand& b,
                  const Diagonal* plus = nullptr);

/// A A^T + C, symmetric; half of it is held. A rank-k update (SYRK).
Diagonal rank_update(const DiagonalOperand& a, const Diagonal* plus = nullptr);

/// A B^T + B A^T + C, likewise. A rank-2k update (SYR2K).
Diagonal rank_2_update(const DiagonalOperand& a, const DiagonalOperand& b,
                       const Diagonal* plus = nullptr);

}  // namespace cisolve::sparse
