#pragma once

#include "ci/properties/moves.hpp"

namespace cisolve::ci {

/// A single excitation of an alpha string; with ket = bra an electron that stays.
struct AlphaMove {
  StringNumber ket;
  StringNumber bra;
  double sign;
};

/// Alpha excitations from q to p >= q, sorted by p and q.
class AlphaMoves {
 public:
  explicit AlphaMoves(const Space& space)
      : AlphaMoves(space, SingleExcitations(space, Spin::alpha)) {}
  AlphaMoves(const Space& space, const SingleExcitations& moves);  // of the alpha strings

  std::span<const AlphaMove> of(Index row) const {
    return moves_.span().subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
  }
  Index rows() const { return offsets_.size() - 1; }  // pairs p, q
  const base::Array<AlphaMove>& all() const { return moves_; }

 private:
  template <class Take>
  void for_each(const Space& space, const SingleExcitations& table, Take&& take) const;
  void turn_to_begins(std::span<Index> counts);

  int orbitals_;
  base::Array<Index> offsets_;
  base::Array<AlphaMove> moves_;
};

/// <bra| a+_p a_q a+_r a_s |ket> for p >= q of alpha and r, s of beta, on the host; equals
/// StateSums::mixed_density() if bra = ket.
class MixedDensity {
 public:
  explicit MixedDensity(const Space& space)  // which must outlive it
      : space_(space), alphas_(space), betas_(space, Spin::beta) {}

  void add(const double* bra, const double* ket, std::span<double> mixed) const;

 private:
  const Space& space_;
  AlphaMoves alphas_;
  SingleExcitations betas_;
};

}  // namespace cisolve::ci
