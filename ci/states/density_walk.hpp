#pragma once

#include <span>
#include <vector>

#include "base/pack.hpp"
#include "ci/states/moves.hpp"

namespace cisolve::ci {

/// What one thread needs to add the mixed density of one batch of alpha strings after the other.
///
/// For alpha strings a that stand beside the same beta strings, and each pair rs of beta orbitals,
/// u_rs(b) is what beta moves by rs make of the ket's row a; its products with the bra's rows of
/// all a' that a moves to by pq are a's part of the density pq, rs.
class DensityWalk {
 public:
  DensityWalk(const Space& space, const SingleExcitations& alphas, const SingleExcitations& betas,
              const double* bra, const double* ket);

  /// Adds to a matrix over pairs of alpha and of beta orbitals.
  void add(std::span<const StringNumber> batch, std::span<double> mixed);

 private:
  /// A row that an alpha string is multiplied with: its own, or that of one it moves to.
  struct Partner {
    StringNumber list;  // of beta strings
    int lane;
    StringNumber alpha;
    Index pair;  // of the move; -1: none
    bool odd;
  };

  void set_line(std::span<const StringNumber> batch, bool is_there);
  void find_partners(std::span<const StringNumber> batch);
  void add_list(std::span<const Partner> partners, std::span<double> mixed);
  void fill_moved(std::span<const StringNumber> betas);
  base::Pack& moved(Index pair, Index column);
  void copy_rows(Index begin, Index columns);
  void multiply(Index columns);
  void give(const Partner& partner, Index place, std::span<double> mixed) const;

  const Space& space_;
  const SingleExcitations& alphas_;
  const SingleExcitations& betas_;
  const double* bra_;
  const double* ket_;
  Index orbitals_;
  std::vector<base::Pack> line_;       // the batch's rows, by beta strings
  std::vector<bool> is_there_;         // a beta string is beside the batch
  std::vector<Partner> partners_;      // by lists
  Index places_ = 0;                   // partners of an alpha string, at most, in whole tiles
  std::vector<const double*> row_of_;  // places x lanes; null where there is none
  std::vector<base::Pack> rows_;       // places x columns
  std::vector<Index> slot_of_;         // of each pair that a chunk has moves by; -1: none
  std::vector<Index> pairs_;           // of each slot
  std::vector<base::Pack> moved_;      // slots x columns
  std::vector<base::Pack> sums_;       // pairs x places
};

}  // namespace cisolve::ci
