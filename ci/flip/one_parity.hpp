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
  virtual void add(const double* half, double* whole) const = 0;
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

/// A whole vector and its image, in which products among halves are made.
struct WholeVectors {
  explicit WholeVectors(const FlipProduct& product)
      : x(product.backend(), product.rows(), 1, "a whole vector of a parity"),
        y(product.backend(), product.rows(), 1, "its image") {}
  base::MultiVector x;
  base::MultiVector y;
};

/// Such a product among the halves of the vectors of one parity, which take half of the memory. It
/// holds two whole vectors beside them, or shares them with others.
class OneParity final : public base::LinearOperator {
 public:
  /// `product`, which has a flip, must outlive it.
  OneParity(const FlipProduct& product, Parity parity)
      : OneParity(product, parity, std::make_shared<WholeVectors>(product)) {}
  OneParity(const FlipProduct& product, Parity parity, std::shared_ptr<WholeVectors> vectors);

  const Halves& halves() const { return halves_; }
  const HalvesMaker& maker() const { return *maker_; }

  Index rows() const override { return halves_.rows(); }
  /// Not for concurrent use: products share the room for whole vectors.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return product_.description(); }

  void expand(base::ConstBlock halves, base::Block whole) const;

  /// The two whole vectors that it holds, which are idle between products.
  std::array<base::Block, 2> room() const { return {vectors_->x.block(), vectors_->y.block()}; }
  const base::Backend& backend() const { return product_.backend(); }

 private:
  const FlipProduct& product_;
  Halves halves_;
  std::unique_ptr<HalvesMaker> maker_;
  std::shared_ptr<WholeVectors> vectors_;
};

/// Products of an even and of an odd vector at once, which take less than one after the other: that
/// of their sum. What is multiplied stands in the memory of the image of the sum, what comes of it
/// in that of the sum, those of even vectors before those of odd ones.
class BothParities {
 public:
  /// `product`, which has a flip, must outlive it.
  explicit BothParities(const FlipProduct& product);

  const OneParity& of(Parity parity) const { return parity == Parity::even ? even_ : odd_; }

  // Of one column, idle between products.
  base::Block source(Parity parity) const { return half_of(vectors_->y, parity); }
  base::Block image(Parity parity) const { return half_of(vectors_->x, parity); }

  /// Of A - shift: the image of one source, or of both. What the sources were is lost.
  void multiply(Parity parity, double shift) const;
  void multiply_both(double shift) const;

 private:
  base::Block half_of(base::MultiVector& whole, Parity parity) const;
  void subtract(double factor) const;

  const FlipProduct& product_;
  std::shared_ptr<WholeVectors> vectors_;
  OneParity even_;
  OneParity odd_;
};

}  // namespace cisolve::ci
