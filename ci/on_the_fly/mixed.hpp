#pragma once

#include <memory>

#include "base/multivector.hpp"
#include "ci/hamiltonian/hamiltonian.hpp"
#include "ci/on_the_fly/ways.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::ci {

/// How much may be stored where so much is left, for some is needed while it is built.
Index room_to_store(Index left, bool on_device);

/// Bytes of a non-zero that is so stored, about.
double bytes_of_nonzero(const sparse::FormatOptions& storage);

class RowChoice;

/// A product that has some rows stored and computes the others. In canonical order, whatever the
/// partition. Each row of y is written by one of the two parts, so that the bits are the same each
/// time.
class MixedProduct final : public base::LinearOperator {
 public:
  /// `computed` is a product of all rows, or of those of its items. `storage` says how, and its
  /// share how much of these, is stored: nothing of an item, or all of it. `h` must outlive it.
  MixedProduct(const HamiltonianRows& h, Operator computed, const sparse::FormatOptions& storage,
               const base::Backend& backend);
  /// With what has to be found for it.
  MixedProduct(const HamiltonianRows& h, const sparse::FormatOptions& storage,
               const base::Backend& backend);

  Index rows() const override { return computed_->rows(); }
  /// Not for concurrent use: products share the room for what stored rows give.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override { return computed_->diagonal(d); }
  base::OperatorDescription description() const override;

  /// Null where no row is.
  const sparse::SparseMatrix* stored() const { return stored_.get(); }
  const std::vector<Column>& stored_rows() const { return stored_rows_; }
  const sparse::FormatOptions& storage() const { return storage_; }
  Index nonzeros() const { return nonzeros_; }  // of all rows of these items
  /// Of a product of neighbouring rows alone: y begins with the first of them.
  void begin_y_with(Index row);

 private:
  /// What is `chosen`, unless it is too much, and then false; the last time, all the same.
  bool stores(const HamiltonianRows& h, RowChoice& choice, std::vector<bool>& chosen, bool is_last);
  void store(const HamiltonianRows& h, std::vector<Column> rows);

  base::Backend backend_;
  sparse::FormatOptions storage_;
  Operator computed_;
  std::vector<Column> stored_rows_;  // ascending
  std::unique_ptr<sparse::SparseMatrix> stored_;
  base::Array<Column> scatter_;      // where stored rows go; empty where they are neighbours
  mutable base::MultiVector found_;  // and what they give until then
  Index first_of_y_ = 0;
  Index nonzeros_ = 0;
};

}  // namespace cisolve::ci
