#pragma once

#include <array>
#include <memory>

#include "base/multivector.hpp"
#include "base/operator.hpp"
#include "ci/flip/halves.hpp"

namespace cisolve::ci {

/// What makes whole vectors of halves and back, where the vectors of a product lie.
class HalvesMaker {
 public:
  HalvesMaker() = default;
  HalvesMaker(const HalvesMaker&) = delete;
  HalvesMaker& operator=(const HalvesMaker&) = delete;
  virtual ~HalvesMaker() = default;

  // As those of Halves.
  virtual void expand(const double* half, double* whole) const = 0;
  virtual void fold(double factor, const double* whole, double* half) const = 0;
  virtual void fold_diagonal(const double* whole, double* half) const = 0;
};

/// A product that takes less of vectors which are even or odd under the exchange of spins.
class FlipProduct : public base::LinearOperator {
 public:
  /// In the host's memory; null where the exchange changes the operator.
  virtual const SpinFlip* flip() const = 0;
  /// Of an x that is even or odd: what becomes the product when it is added to its own flip.
  virtual void multiply_half(base::ConstBlock x, base::Block y) const = 0;

  virtual const base::Backend& backend() const = 0;
  virtual std::unique_ptr<HalvesMaker> halves_maker(const Halves& halves) const = 0;
};

/// Such a product among the halves of the vectors of one parity, which take half of the memory. It
/// holds two whole vectors beside them.
class OneParity final : public base::LinearOperator {
 public:
  /// `product`, which has a flip, must outlive it.
  OneParity(const FlipProduct& product, Parity parity);

  const Halves& halves() const { return halves_; }

  Index rows() const override { return halves_.rows(); }
  /// Not for concurrent use: products share the room for whole vectors.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return product_.description(); }

  void expand(base::ConstBlock halves, base::Block whole) const;

  /// The two whole vectors that it holds, which are idle between products.
  std::array<base::Block, 2> room() const { return {x_.block(), y_.block()}; }
  const base::Backend& backend() const { return product_.backend(); }

 private:
  const FlipProduct& product_;
  Halves halves_;
  std::unique_ptr<HalvesMaker> maker_;
  mutable base::MultiVector x_;
  mutable base::MultiVector y_;
};

}  // namespace cisolve::ci
