#pragma once

#include <vector>

#include "ci/hamiltonian/factorised/opposite_spin_batch.hpp"
#include "ci/hamiltonian/factorised/same_spin_blocks.hpp"
#include "ci/hamiltonian/factorised/same_spin_strips.hpp"

namespace cisolve::ci {

/// A SameSpinBlock in the host's format, with all its alpha strings or with a rank's.
struct HostSameSpinBlock {
  HostSameSpinBlock(SameSpinBlock block, const std::vector<Index>& places_in_y,
                    const base::Backend& host);

  /// First rows of an own alpha string in x and in y.
  struct RowOffsets {
    Index of_x;
    Index of_y;
  };

  std::vector<Index> first_rows;  // first row in x of each alpha string
  std::vector<RowOffsets> own;
  std::vector<Index> places;  // position of each row of `beta` within a row of x
  SameSpinStrips alpha;       // for own rows only
  SameSpinStrips beta;
};

/// sigma = H x on the threads of the host, for the rows of all alpha strings or of a rank's. The
/// rows of a string do not depend on the other strings present, to the bit.
class HostFactorisedProduct {
 public:
  /// `places`: the first row of each alpha string in y; -1 if it is left out.
  HostFactorisedProduct(std::vector<SameSpinBlock> blocks, OppositeSpinTables opposite_spin,
                        std::vector<Index> places, const base::Backend& host);

  // x is a whole vector, y has this rank's rows.
  void multiply(const double* x, double* y) const;
  /// Computes y = h for x with P x = +-x, where H x = h +- P h, h = sigma_alpha(x) + sigma_mixed(U)
  /// (FactorisedHamiltonian).
  void multiply_half(const double* x, double* y) const;
  void diagonal(double* d) const;

  Index bytes() const;

 private:
  void set_sigma_alpha(const HostSameSpinBlock& block, const double* x, double* y) const;
  void add_sigma_beta(const HostSameSpinBlock& block, const double* x, double* y) const;
  void add_sigma_mixed(bool by_half, const double* x, double* y) const;

  base::Backend host_;
  std::vector<Index> places_;
  std::vector<StringNumber> alphas_;  // own alpha strings
  OppositeSpinTables opposite_spin_;
  std::vector<HostSameSpinBlock> blocks_;
  AlphaBatches batches_;
};

}  // namespace cisolve::ci
