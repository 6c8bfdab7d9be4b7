#pragma once

#include <memory>

#include "base/array.hpp"
#include "base/symmetry_projector.hpp"
#include "ci/hamiltonian/parity/parity_transform.hpp"

namespace cisolve::ci {

/// A product that is cheaper for vectors of a parity, P x = +-x. Among ranks each computes its own
/// rows of the image of a whole vector; all calls are collective.
class ParityOperator : public base::LinearOperator, public base::SymmetryProjector {
 public:
  /// The swap P in the host's memory; null if P does not commute with the operator.
  virtual const AlphaBetaSwap* alpha_beta_swap() const = 0;
  virtual const base::Backend& backend() const = 0;

  // Require a swap:

  /// The distribution of strings among ranks.
  virtual const SwapPartition& partition() const = 0;
  /// Computes this rank's rows of H x; x is whole and of any parity.
  virtual void multiply(base::ConstBlock x, base::Block y) const = 0;
  /// Computes this rank's rows of h for P x = +-x, with H x = h +- P h.
  virtual void multiply_half(base::ConstBlock x, base::Block y) const = 0;
  virtual std::unique_ptr<ParityTransform> parity_transform(const ParityBasis& basis) const = 0;
  /// Sends the elements (P y)_i of an image y that other ranks need and receives theirs, both in
  /// `workspace`; returns the received ones.
  virtual const double* fetch_swapped(const double* image, double* workspace) const = 0;
  /// multiply_half(), then fetch_swapped(), of one vector. With two phases of the exchange they
  /// overlap; then `workspace` must not alias x.
  virtual const double* multiply_half_and_fetch(base::ConstBlock x, base::Block y,
                                                double* workspace) const {
    multiply_half(x, y);
    return fetch_swapped(y.data, workspace);
  }
  /// Each rank has its own rows of x.
  virtual ParityNorms parity_norms(const double* x) const = 0;
  /// Workspace of the product for a whole vector, unused between products; null if it has none.
  virtual double* whole_workspace() const { return nullptr; }
};

/// Sizes, in elements, of the buffers for a whole vector and for an image. Each buffer also serves
/// for the coefficients of both parities, and that of the whole vector for the exchange.
Index whole_buffer_size(const SwapPartition& partition);
Index image_buffer_size(const SwapPartition& partition);

/// Workspace of products in the parity basis: a whole vector x and its image y.
class WholeVectors {
 public:
  explicit WholeVectors(const ParityOperator& product);

  base::Block x() const { return {x_, rows_, 1, rows_}; }
  base::Block y() const { return {y_.data(), own_rows_, 1, own_rows_}; }
  /// Workspace of the exchange: the receive buffer or, if that is too small, x after the
  /// coefficients of both parities, which overwrites the vector.
  double* exchange_workspace() const {
    return stages_exchange_ ? stage_.data() : x_ + coefficients_;
  }
  /// Receive buffer of expand(): separate from y, or y itself.
  ParityTransform::Staging stage() const { return {StagedIn::buffer, stage_.data()}; }
  ParityTransform::Staging stage_in_image() const { return {StagedIn::image, y_.data()}; }

 private:
  base::Array<double> held_;
  mutable base::Array<double> y_;
  mutable base::Array<double> stage_;
  double* x_;
  Index rows_;
  Index own_rows_;
  Index coefficients_;
  bool stages_exchange_;
};

/// The operator in the basis of one parity; vectors take half of the memory. It owns WholeVectors
/// or shares them with another.
class ParityBlockOperator final : public base::LinearOperator {
 public:
  /// `product`, which has a swap, must outlive it.
  ParityBlockOperator(const ParityOperator& product, Parity parity)
      : ParityBlockOperator(product, parity, std::make_shared<WholeVectors>(product)) {}
  ParityBlockOperator(const ParityOperator& product, Parity parity,
                      std::shared_ptr<WholeVectors> vectors);

  const ParityBasis& basis() const { return basis_; }
  const ParityTransform& transform() const { return *transform_; }
  const base::Layout& layout() const { return transform_->layout(); }

  Index rows() const override { return transform_->rows(); }
  /// Not for concurrent use: products share WholeVectors.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return product_.description(); }

  /// Expands to this rank's rows of whole vectors; among ranks via the workspace for a whole
  /// vector.
  void expand(base::ConstBlock coefficients, base::Block own) const;
  /// Contracts the component of this parity of the vector in vectors().y().
  void contract_image(double* half) const;

  /// Idle between products.
  const WholeVectors& vectors() const { return *vectors_; }
  const base::Backend& backend() const { return product_.backend(); }

 private:
  const ParityOperator& product_;
  ParityBasis basis_;
  std::shared_ptr<WholeVectors> vectors_;  // destroyed after transform_, which may still use it
  std::unique_ptr<ParityTransform> transform_;
};

/// Products of an even and of an odd vector by one product of their sum. Inputs alias the output
/// buffer of the combined product, outputs its input buffer; in each, the even vector comes first.
class ParityPairOperator {
 public:
  /// `product`, which has a swap, must outlive it.
  explicit ParityPairOperator(const ParityOperator& product);

  const ParityBlockOperator& of(Parity parity) const {
    return parity == Parity::even ? even_ : odd_;
  }

  // One column each, idle between products.
  base::Block source(Parity parity) const { return half_of(vectors_->y(), parity); }
  base::Block image(Parity parity) const { return half_of(vectors_->x(), parity); }

  /// The image of one source, or of both, under H - shift. Destroys the sources.
  void multiply(Parity parity, double shift) const;
  void multiply_both(double shift) const;

 private:
  base::Block half_of(base::Block buffer, Parity parity) const;
  void subtract(double factor) const;

  const ParityOperator& product_;
  std::shared_ptr<WholeVectors> vectors_;
  ParityBlockOperator even_;
  ParityBlockOperator odd_;
};

}  // namespace cisolve::ci
