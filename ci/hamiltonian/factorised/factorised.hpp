#pragma once

#include <memory>

#include "base/operator.hpp"
#include "base/ranks/distributed_operator.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"

namespace cisolve::ci {

/// Whether a Hamiltonian can be factorised: its lists of beta strings are equal or disjoint (full
/// CI, one irrep, products of lists), at most 64 and at most 65,535 strings long, and no element is
/// neglected (threshold 0).
bool may_factorise(const HamiltonianRows& h);

/// Whether the analysis of the strings is long enough to run in concurrent tasks, and their threads
/// are known to start.
bool is_analysed_concurrently(const Space& space);

/// Cost of a factorised product with one vector, without the parity saving.
struct FactorisedCost {
  double multiplications = 0;   // sigma_mixed: multiply-adds that form g
  double moves = 0;             // sigma_mixed: elements of g scattered to beta strings
  double strips = 0;            // sigma_alpha + sigma_beta on a host: multiply-adds by strips
  double tiles = 0;             // the same on a device: multiply-adds by 8 x 8 tiles
  double chunks = 0;            // sigma_mixed: chunks of columns over all groups of alpha strings
  Index longest = 0;            // strings of the longest list of beta strings
  Index bytes = 0;              // held
  Index distributed_bytes = 0;  // further bytes if alpha strings are distributed among ranks
  Index transposed = 0;         // further bytes on a device, for transposed rows
  bool has_parity = false;      // H commutes with the exchange of alpha and beta electrons
};

struct FactorisedParts;

/// String-driven direct CI (Knowles and Handy 1984; Olsen et al. 1988): no element of H is stored
/// or computed one by one. With C(a,b) the coefficient of |a b> and A(a,a'), B(b,b') the same-spin
/// matrices over alpha and over beta strings (each with half of the core energy),
///   sigma_2 = sigma_alpha(a,b) = sum_a' A(a,a') C(a',b)    alpha-alpha: SameSpinMatrix `alpha`
///   sigma_1 = sigma_beta(a,b)  = sum_b' B(b,b') C(a,b')    beta-beta:   SameSpinMatrix `beta`
///   sigma_3 = sigma_mixed      = scatter of g              alpha-beta:  OppositeSpinTables
///   g_rs(a,b') = sum_a' sum_pq (pq|rs) <a|E_pq|a'> C(a',b')   small dense product for each a
///   sigma_mixed(a,b) = sum_rs sum_b' <b|E_rs|b'> g_rs(a,b')   E_pq, E_rs: one spin each
/// (p = q and r = s are the electrons that stay: Coulomb terms of singles and of the diagonal.)
/// g is formed and scattered for one a, 64 strings b' and at most 192 pairs rs at a time.
/// Parity saving: at Ms = 0, P C(a,b) = C(b,a) commutes with H. If P C = +-C, then
///   sigma_1 = +-P sigma_2, and sigma = h +- P h with h = sigma_2(C) + sigma_3(U),
///   U(a,b) = C(a,b) if b < a, C(a,a)/2 if b = a, else 0,
/// so that multiply_half() computes h, without sigma_1 and with about half of the multiply-adds for
/// g, and AlphaBetaSwap adds +-P h. The scatter saves only chunks of b' for which all U(a',b') are
/// 0, about a fifth.
class FactorisedHamiltonian {
 public:
  /// Requires may_factorise(h). The rows are not used afterwards.
  explicit FactorisedHamiltonian(const HamiltonianRows& h);
  ~FactorisedHamiltonian();

  FactorisedCost work(const base::Backend& backend) const;

  /// The operator in canonical order, whatever the partition of h. Results are bitwise reproducible
  /// for any number of threads and independent of the other vectors of a block. Moves the tables
  /// out of this object.
  std::unique_ptr<base::LinearOperator> product(const base::Backend& backend) &&;

  /// product() with alpha strings distributed among ranks; results have the same bits. `ranks` must
  /// outlive it. Products are collective; each rank holds one whole vector as workspace.
  base::DistributedOperator distributed_product(const base::Communicator& ranks,
                                                const base::Backend& backend) &&;

 private:
  std::unique_ptr<FactorisedParts> factors_;
};

}  // namespace cisolve::ci
