#pragma once

#include <optional>
#include <vector>

#include "ci/factorised/cuda/coupling_shape.hpp"
#include "ci/factorised/string_tiles.hpp"
#include "ci/factorised/ways.hpp"

namespace cisolve::ci::cuda {

struct BlockOfRows;

/// A ProductBlock as a device multiplies it, of all its alpha strings or of some.
class BlockFactors {
 public:
  /// `rows_of_y` says where the rows of each alpha string of the block's alpha matrix begin in y;
  /// nowhere, -1, of those that are left out.
  BlockFactors(const ProductBlock& block, const std::vector<Index>& rows_of_y,
               const base::Backend& device);

  void set_alpha(base::ConstBlock x, base::Block y) const;
  /// With room for turned_numbers().
  void add_beta(base::ConstBlock x, base::Block y, double* turned) const;
  Index turned_numbers() const;
  Index bytes() const;

 private:
  BlockFactors(const ProductBlock& block, const std::vector<Index>& rows_of_y,
               const std::vector<Index>& own, const base::Backend& device);
  void add_beta(const BlockOfRows& rows, double* turned) const;

  const StringTiles& beta() const { return beta_ ? *beta_ : alpha_; }

  base::Backend device_;
  StringTiles alpha_;                // of the own rows alone
  std::optional<StringTiles> beta_;  // none where they are those of alpha strings
  bool even_rows_;                   // which can be copied as a whole
  base::Array<Index> first_rows_;    // of all alpha strings in x
  base::Array<Index> own_rows_;      // of those that are worked on
  base::Array<Index> own_of_y_;      // and in y
  base::Array<Index> betas_;         // places within a row, in the order of the string matrix
};

/// A product of string matrices on a device: the rows of all alpha strings, or of some. What a
/// string's rows get does not depend on which others there are, to the bit.
class DeviceFactors {
 public:
  /// `places` says where in y the rows of each alpha string begin; nowhere, -1, of those that are
  /// left out.
  DeviceFactors(const Factors& factors, const std::vector<Index>& places,
                const base::Backend& device);

  // x is whole, y has the rows that are worked on.
  void multiply(base::ConstBlock x, base::Block y) const;
  /// For x that are even or odd: what becomes the product when it is added to its own flip.
  void multiply_half(base::ConstBlock x, base::Block y) const;
  void diagonal(base::Block d) const;

  Index bytes() const;

 private:
  void couple(base::ConstBlock x, base::Block y, bool by_half) const;
  template <bool kSumsAtHand>
  void start_with(base::ConstBlock x, base::Block y, bool by_half) const;
  template <int kPairs, bool kSumsAtHand>
  void start(base::ConstBlock x, base::Block y, bool by_half) const;

  base::Backend device_;
  std::vector<BlockFactors> blocks_;
  mutable base::Array<double> turned_;
  Couplings couplings_;
  base::Array<OwnString> own_;  // those with the most work first
  CouplingShape shape_{};
};

}  // namespace cisolve::ci::cuda
