#pragma once

#include <vector>

#include "ci/factorised/coupling_walk.hpp"
#include "ci/factorised/product_blocks.hpp"
#include "ci/factorised/string_strips.hpp"

namespace cisolve::ci {

/// A ProductBlock as the host multiplies it, of all its alpha strings or of some.
struct HostBlock {
  HostBlock(ProductBlock block, const std::vector<Index>& places_in_y, const base::Backend& host);

  /// Of an alpha string that is worked on, its first rows in x and in y.
  struct Rows {
    Index of_x;
    Index of_y;
  };

  std::vector<Index> first_rows;  // of all alpha strings, in x
  std::vector<Rows> own;
  std::vector<Index> places;  // within its row, of each beta string
  StringStrips alpha;         // the own rows
  StringStrips beta;
};

/// A product of string matrices on the threads of the host: the rows of all alpha strings, or of
/// some. What a string's rows get does not depend on which others there are, to the bit.
class HostFactors {
 public:
  /// `places` says where in y the rows of each alpha string begin; nowhere, -1, of those that are
  /// left out.
  HostFactors(std::vector<ProductBlock> blocks, Couplings couplings, std::vector<Index> places,
              const base::Backend& host);

  // x is whole, y has the rows that are worked on.
  void multiply(const double* x, double* y) const;
  /// For an x that is even or odd: what becomes the product when it is added to its own flip.
  void multiply_half(const double* x, double* y) const;
  void diagonal(double* d) const;

  Index bytes() const;

 private:
  static constexpr Index kNowhere = -1;

  void set_alpha(const HostBlock& block, const double* x, double* y) const;
  void add_beta(const HostBlock& block, const double* x, double* y) const;
  void couple(bool by_half, const double* x, double* y) const;

  base::Backend host_;
  std::vector<Index> places_;
  std::vector<StringNumber> alphas_;  // that are worked on
  Couplings couplings_;
  std::vector<HostBlock> blocks_;
  AlphaBatches batches_;
};

}  // namespace cisolve::ci
