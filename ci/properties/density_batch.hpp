#pragma once

#include <span>
#include <vector>

#include "base/pack.hpp"
#include "ci/properties/single_excitations.hpp"

namespace cisolve::ci {

/// One thread's workspace for the alpha-beta density of one batch of alpha strings after the other.
///
/// For each alpha string a of a batch with a common list of beta strings,
///   u_rs(b) = sum_b' <b|E_rs|b'> ket(a, b'),   density(pq, rs) += <a'|E_pq|a> bra(a', .) u_rs.
class DensityBatch {
 public:
  DensityBatch(const Space& space, const SingleExcitations& alphas, const SingleExcitations& betas,
               const double* bra, const double* ket);

  /// Adds to the density, a matrix [pair of alpha orbitals][pair of beta orbitals].
  void add(std::span<const StringNumber> batch, std::span<double> alpha_beta_density);

 private:
  /// A row of the bra: of the alpha string itself, or of a single excitation.
  struct Partner {
    StringNumber list;  // number of a list of beta strings
    int lane;
    StringNumber alpha;
    Index pair;  // orbital pair of the excitation; -1: none
    bool odd;
  };

  void set_line(std::span<const StringNumber> batch, bool is_there);
  void find_partners(std::span<const StringNumber> batch);
  void add_list(std::span<const Partner> partners, std::span<double> alpha_beta_density);
  void fill_moved(std::span<const StringNumber> betas);
  base::Pack& moved(Index pair, Index column);
  void copy_rows(Index begin, Index columns);
  void multiply(Index columns);
  void add_to_density(const Partner& partner, Index row,
                      std::span<double> alpha_beta_density) const;

  const Space& space_;
  const SingleExcitations& alphas_;
  const SingleExcitations& betas_;
  const double* bra_;
  const double* ket_;
  Index orbitals_;
  std::vector<base::Pack> line_;   // rows of the batch, [beta string]
  std::vector<bool> is_there_;     // [beta string]: in the batch's list
  std::vector<Partner> partners_;  // sorted by list
  Index row_count_ = 0;            // most partners of an alpha string, rounded up to whole tiles
  std::vector<const double*> row_of_;  // [row][lane]; null if unused
  std::vector<base::Pack> rows_;       // [row][column]
  std::vector<Index> number_of_;       // [pair], for a chunk of columns; -1: no excitation by it
  std::vector<Index> pairs_;           // [number], those that occur in the chunk
  std::vector<base::Pack> moved_;      // [number][column]
  std::vector<base::Pack> sums_;       // [pair][row]
};

}  // namespace cisolve::ci
