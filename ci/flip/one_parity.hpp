#pragma once

#include <memory>

#include "base/array.hpp"
#include "base/operator.hpp"
#include "ci/flip/halves_maker.hpp"

namespace cisolve::ci {

/// A product that takes less of vectors which are even or odd under the exchange of spins. Of ranks
/// each makes the own rows of images of whole vectors; all call the same together.
class FlipProduct : public base::LinearOperator {
 public:
  /// In the host's memory; null where the exchange changes the operator.
  virtual const SpinFlip* flip() const = 0;
  virtual const base::Backend& backend() const = 0;

  // Where there is a flip:

  /// Who has which strings.
  virtual const FlipShares& shares() const = 0;
  /// The own rows of the image of a whole x, of any parity.
  virtual void multiply(base::ConstBlock x, base::Block y) const = 0;
  /// Of an x that is even or odd: what becomes the product when it is added to its own flip.
  virtual void multiply_half(base::ConstBlock x, base::Block y) const = 0;
  virtual std::unique_ptr<HalvesMaker> halves_maker(const Halves& halves) const = 0;
  /// Flips of an image that other ranks have, in room for what is exchanged; where they stand.
  virtual const double* bring_flips(const double* image, double* room) const = 0;
  /// Both one after the other, or beside each other: the image of one vector, and flips of it. The
  /// room is none of x where flips are told by turns.
  virtual const double* multiply_half_and_bring(base::ConstBlock x, base::Block y,
                                                double* room) const {
    multiply_half(x, y);
    return bring_flips(y.data, room);
  }
  /// Of a vector of which each rank has its rows.
  virtual ParityNorms parity_norms(const double* x) const = 0;
  /// What it holds itself for a whole vector and leaves alone between products; null for none.
  virtual double* whole_room() const { return nullptr; }
};

/// Numbers of the rooms for whole vectors and for images, in either of which halves of both
/// parities have room; beside these, in that for whole vectors, what is exchanged.
Index numbers_of_whole(const FlipShares& shares);
Index numbers_of_image(const FlipShares& shares);

/// A whole vector and an image, in which products among halves are made.
class WholeVectors {
 public:
  explicit WholeVectors(const FlipProduct& product);

  base::Block x() const { return {x_, rows_, 1, rows_}; }
  base::Block y() const { return {y_.data(), own_rows_, 1, own_rows_}; }
  /// For what is exchanged: where others' halves stood or, if that has no room, where x has done
  /// its part.
  double* exchange() const { return is_exchanged_beside_ ? stage_.data() : x_ + halves_; }
  /// For halves of which x is made: beside y, or in it.
  HalvesMaker::Stage stage() const { return {StagedIn::room, stage_.data()}; }
  HalvesMaker::Stage stage_in_image() const { return {StagedIn::image, y_.data()}; }

 private:
  base::Array<double> held_;
  mutable base::Array<double> y_;
  mutable base::Array<double> stage_;
  double* x_;
  Index rows_;
  Index own_rows_;
  Index halves_;
  bool is_exchanged_beside_;
};

/// Such a product among the halves of the vectors of one parity, which take half of the memory. It
/// holds room for a whole vector and an image beside them, or shares it with others.
class OneParity final : public base::LinearOperator {
 public:
  /// `product`, which has a flip, must outlive it.
  OneParity(const FlipProduct& product, Parity parity)
      : OneParity(product, parity, std::make_shared<WholeVectors>(product)) {}
  OneParity(const FlipProduct& product, Parity parity, std::shared_ptr<WholeVectors> vectors);

  const Halves& halves() const { return halves_; }
  const HalvesMaker& maker() const { return *maker_; }
  const base::Layout& layout() const { return maker_->layout(); }

  Index rows() const override { return maker_->rows(); }
  /// Not for concurrent use: products share the room for whole vectors.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return product_.description(); }

  /// Vectors of the parity, each rank its rows; of ranks in the room for whole ones.
  void expand(base::ConstBlock halves, base::Block own) const;
  /// What the vector that stands as an image in its room has of the parity.
  void contract_image(double* half) const;

  /// Of a whole vector and of an image; both are idle between products.
  const WholeVectors& vectors() const { return *vectors_; }
  const base::Backend& backend() const { return product_.backend(); }

 private:
  const FlipProduct& product_;
  Halves halves_;
  std::shared_ptr<WholeVectors> vectors_;  // ends after what may still work on it
  std::unique_ptr<HalvesMaker> maker_;
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
  base::Block source(Parity parity) const { return half_of(vectors_->y(), parity); }
  base::Block image(Parity parity) const { return half_of(vectors_->x(), parity); }

  /// Of A - shift: the image of one source, or of both. What the sources were is lost.
  void multiply(Parity parity, double shift) const;
  void multiply_both(double shift) const;

 private:
  base::Block half_of(base::Block room, Parity parity) const;
  void subtract(double factor) const;

  const FlipProduct& product_;
  std::shared_ptr<WholeVectors> vectors_;
  OneParity even_;
  OneParity odd_;
};

}  // namespace cisolve::ci
