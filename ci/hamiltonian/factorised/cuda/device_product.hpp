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

/// A SameSpinBlock in a device's format, with all its alpha strings or some.
class DeviceSameSpinBlock {
 public:
  /// `rows_of_y`: the first row in y of each alpha string of the block's alpha matrix; -1 if it is
  /// left out.
  DeviceSameSpinBlock(const SameSpinBlock& block, const std::vector<Index>& rows_of_y,
                      const base::Backend& device);

  void set_sigma_alpha(base::ConstBlock x, base::Block y) const;
  /// `transposed`: workspace of transposed_numbers() doubles.
  void add_sigma_beta(base::ConstBlock x, base::Block y, double* transposed) const;
  Index transposed_numbers() const;
  Index bytes() const;

 private:
  DeviceSameSpinBlock(const SameSpinBlock& block, const std::vector<Index>& rows_of_y,
                      const std::vector<Index>& own, const base::Backend& device);
  void add_sigma_beta(const SameSpinRows& rows, double* transposed) const;

  const SameSpinTiles& beta() const { return beta_ ? *beta_ : alpha_; }

  base::Backend device_;
  SameSpinTiles alpha_;                // for own rows only
  std::optional<SameSpinTiles> beta_;  // none if the alpha tiles serve both spins
  bool aligned_rows_;                  // rows of x are multiples of 16 bytes, for bulk copies
  base::Array<Index> first_rows_;      // first row in x of each alpha string
  base::Array<Index> own_rows_;        // rows in x of own alpha strings
  base::Array<Index> own_of_y_;        // rows in y of own alpha strings
  base::Array<Index> betas_;           // positions within a row, in the order of the beta matrix
};

/// sigma = H x on a device, for the rows of all alpha strings or of some. The rows of a string do
/// not depend on the other strings present, to the bit.
class DeviceFactorisedProduct {
 public:
  /// `places`: the first row of each alpha string in y; -1 if it is left out. `late`: strings whose
  /// rows may be ready later (begin_half).
  DeviceFactorisedProduct(const FactorisedParts& factors, const std::vector<Index>& places,
                          std::span<const Index> late, const base::Backend& device);

  // x is a whole vector, y has this rank's rows.
  void multiply(base::ConstBlock x, base::Block y) const;
  /// Computes y = h for x with P x = +-x, where H x = h +- P h, h = sigma_alpha(x) + sigma_mixed(U)
  /// (FactorisedHamiltonian).
  void multiply_half(base::ConstBlock x, base::Block y) const;
  /// Like multiply_half(), but with the late strings on a second stream: the other rows are ready
  /// when the work queued so far is done, the late ones after wait_for_late().
  void begin_half(base::ConstBlock x, base::Block y) const;
  void wait_for_late() const;
  void diagonal(base::Block d) const;

  Index bytes() const;

 private:
  /// Alpha strings of one kernel launch.
  struct Launch {
    const OwnString* strings;
    Index count;
    bool by_half;
    cudaStream_t stream;
  };
  void add_sigma_mixed(base::ConstBlock x, base::Block y, const Launch& launch) const;
  template <bool kSumsInShared>
  void launch_with(base::ConstBlock x, base::Block y, const Launch& launch) const;
  template <int kSourceSteps, bool kSumsInShared>
  void launch_kernel(base::ConstBlock x, base::Block y, const Launch& launch) const;

  base::Backend device_;
  std::vector<DeviceSameSpinBlock> blocks_;
  mutable base::Array<double> transposed_;
  OppositeSpinTables opposite_spin_;
  // Descending by work in multiply() and in multiply_half(), there with the late strings at the
  // end.
  base::Array<OwnString> own_;
  base::Array<OwnString> by_half_;
  Index late_;  // number of late strings in by_half_
  std::optional<base::cuda::SideStream> for_late_;
  OppositeSpinShape shape_{};
};

}  // namespace cisolve::ci::cuda
