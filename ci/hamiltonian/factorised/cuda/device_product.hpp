#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/cuda/side_stream.hpp"
#include "ci/hamiltonian/factorised/cuda/opposite_spin_shape.hpp"
#include "ci/hamiltonian/factorised/factories.hpp"
#include "ci/hamiltonian/factorised/same_spin_tiles.hpp"

namespace cisolve::ci::cuda {

struct SameSpinRows;

/// A SameSpinBlock as a device multiplies it, of all its alpha strings or of some.
class DeviceSameSpinBlock {
 public:
  /// `rows_of_y` says where the rows of each alpha string of the block's alpha matrix begin in y;
  /// nowhere, -1, of those that are left out.
  DeviceSameSpinBlock(const SameSpinBlock& block, const std::vector<Index>& rows_of_y,
                      const base::Backend& device);

  void set_sigma_alpha(base::ConstBlock x, base::Block y) const;
  /// With room for transposed_numbers().
  void add_sigma_beta(base::ConstBlock x, base::Block y, double* transposed) const;
  Index transposed_numbers() const;
  Index bytes() const;

 private:
  DeviceSameSpinBlock(const SameSpinBlock& block, const std::vector<Index>& rows_of_y,
                      const std::vector<Index>& own, const base::Backend& device);
  void add_sigma_beta(const SameSpinRows& rows, double* transposed) const;

  const SameSpinTiles& beta() const { return beta_ ? *beta_ : alpha_; }

  base::Backend device_;
  SameSpinTiles alpha_;                // of the own rows alone
  std::optional<SameSpinTiles> beta_;  // none where they are those of alpha strings
  bool even_rows_;                     // which can be copied as a whole
  base::Array<Index> first_rows_;      // of all alpha strings in x
  base::Array<Index> own_rows_;        // of those that are worked on
  base::Array<Index> own_of_y_;        // and in y
  base::Array<Index> betas_;           // places within a row, in the order of the string matrix
};

/// A product of string matrices on a device: the rows of all alpha strings, or of some. What a
/// string's rows get does not depend on which others there are, to the bit.
class DeviceFactorisedProduct {
 public:
  /// `places` says where in y the rows of each alpha string begin; nowhere, -1, of those that are
  /// left out. Rows of some strings are not needed so early as others.
  DeviceFactorisedProduct(const FactorisedParts& factors, const std::vector<Index>& places,
                          std::span<const Index> late, const base::Backend& device);

  // x is whole, y has the rows that are worked on.
  void multiply(base::ConstBlock x, base::Block y) const;
  /// For x that are even or odd: what becomes the product when it is added to its own flip.
  void multiply_half(base::ConstBlock x, base::Block y) const;
  /// Likewise: when what is queued by now is done, all but late strings have their rows, on which
  /// the device works beside what is queued next until it has to wait for them.
  void begin_half(base::ConstBlock x, base::Block y) const;
  void wait_for_late() const;
  void diagonal(base::Block d) const;

  Index bytes() const;

 private:
  /// Alpha strings that are worked on at once, and how.
  struct Launch {
    const OwnString* strings;
    Index count;
    bool by_half;
    cudaStream_t stream;
  };
  void add_sigma_mixed(base::ConstBlock x, base::Block y, const Launch& launch) const;
  template <bool kSumsInShared>
  void start_with(base::ConstBlock x, base::Block y, const Launch& launch) const;
  template <int kPairs, bool kSumsInShared>
  void start(base::ConstBlock x, base::Block y, const Launch& launch) const;

  base::Backend device_;
  std::vector<DeviceSameSpinBlock> blocks_;
  mutable base::Array<double> transposed_;
  OppositeSpinTables couplings_;
  // Those with the most work first, in a product of any vector and by half, late ones behind
  // others.
  base::Array<OwnString> own_;
  base::Array<OwnString> by_half_;
  Index late_;  // of the last
  std::optional<base::cuda::SideStream> for_late_;
  OppositeSpinShape shape_{};
};

}  // namespace cisolve::ci::cuda
