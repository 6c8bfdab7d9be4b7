#pragma once

#include "ci/properties/single_excitations.hpp"

namespace cisolve::ci {

/// A single excitation of an alpha string; with ket = bra an electron that stays.
struct AlphaExcitation {
  StringNumber ket;
  StringNumber bra;
  double sign;
};

/// Alpha excitations from q to p >= q, sorted by p and q.
class AlphaExcitations {
 public:
  explicit AlphaExcitations(const Space& space)
      : AlphaExcitations(space, SingleExcitations(space, Spin::alpha)) {}
  /// `moves` are those of the alpha strings.
  AlphaExcitations(const Space& space, const SingleExcitations& moves);

  std::span<const AlphaExcitation> of(Index row) const {
    return moves_.span().subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
  }
  Index rows() const { return offsets_.size() - 1; }  // pairs p, q
  const base::Array<AlphaExcitation>& all() const { return moves_; }

 private:
  template <class Take>
  void for_each(const Space& space, const SingleExcitations& table, Take&& take) const;
  void counts_to_begins(std::span<Index> counts);

  int orbitals_;
  base::Array<Index> offsets_;
  base::Array<AlphaExcitation> moves_;
};

/// <bra| a+_p a_q a+_r a_s |ket> for p >= q of alpha and r, s of beta, on the host; equals
/// StateSums::mixed_density() if bra = ket.
class MixedDensity {
 public:
  /// `space` must outlive it.
  explicit MixedDensity(const Space& space)
      : space_(space), alphas_(space), betas_(space, Spin::beta) {}

  void add(const double* bra, const double* ket, std::span<double> mixed) const;

 private:
  const Space& space_;
  AlphaExcitations alphas_;
  SingleExcitations betas_;
};

}  // namespace cisolve::ci
