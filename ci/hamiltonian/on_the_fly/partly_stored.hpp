#pragma once

#include <memory>

#include "base/multivector.hpp"
#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::ci {

/// Bytes that may be stored if `left` are free; the rest is needed during the build.
Index storable_bytes(Index left, bool on_device);

/// Estimated bytes per stored non-zero.
double bytes_of_nonzero(const sparse::FormatOptions& storage);

class StoredRowChoice;

/// A product with some rows stored and the others computed, in canonical order whatever the
/// partition. Each row of y is written by one of the two parts: bitwise reproducible.
class PartlyStoredProduct final : public base::LinearOperator {
 public:
  /// `computed`: a product of all rows, or of some items' rows. `storage`: the format, and the
  /// fraction to store; an item is stored whole or not at all. `h` must outlive it.
  PartlyStoredProduct(const HamiltonianRows& h, ComputedProductPtr computed,
                      const sparse::FormatOptions& storage, const base::Backend& backend);
  /// Makes `computed` itself.
  PartlyStoredProduct(const HamiltonianRows& h, const sparse::FormatOptions& storage,
                      const base::Backend& backend);

  Index rows() const override { return computed_->rows(); }
  /// Not safe for concurrent use: products share the result buffer of the stored rows.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override { return computed_->diagonal(d); }
  base::OperatorDescription description() const override;

  /// Null if no row is stored.
  const sparse::SparseMatrix* stored() const { return stored_.get(); }
  const std::vector<Column>& stored_rows() const { return stored_rows_; }
  const sparse::FormatOptions& storage() const { return storage_; }
  Index nonzeros() const { return nonzeros_; }  // of all items, stored or not
  /// Calls ComputedProduct::begin_y_with().
  void begin_y_with(Index row);

 private:
  /// Stores the chosen items; false if they need too much memory and this is not the last attempt.
  bool stores(const HamiltonianRows& h, StoredRowChoice& choice, std::vector<bool>& chosen,
              bool is_last);
  void store(const HamiltonianRows& h, std::vector<Column> rows);

  base::Backend backend_;
  sparse::FormatOptions storage_;
  ComputedProductPtr computed_;
  std::vector<Column> stored_rows_;  // ascending
  std::unique_ptr<sparse::SparseMatrix> stored_;
  base::Array<Column> scatter_;      // rows of y of the stored rows; empty if contiguous
  mutable base::MultiVector found_;  // results before the scatter
  Index first_of_y_ = 0;
  Index nonzeros_ = 0;
};

}  // namespace cisolve::ci
