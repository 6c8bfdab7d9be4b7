#pragma once

#include <memory>

#include "base/operator.hpp"
#include "base/ranks/shared_operator.hpp"
#include "ci/hamiltonian/hamiltonian.hpp"

namespace cisolve::ci {

/// Whether a Hamiltonian can be written with string matrices: of a space whose lists of beta
/// strings are alike or disjoint, as those of full CI, of one irrep and of products of lists are,
/// and where no element is left out for being small.
bool may_factorise(const HamiltonianRows& h);

/// Whether what is found out about the strings of a space takes so long that it is done by several
/// beside each other, whose threads are known to start.
bool is_looked_at_by_several(const Space& space);

/// What a factorised product has to do.
struct FactorWork {
  double multiplications = 0;  // of integrals with rows of x
  double moves = 0;            // of what these give to the beta strings of a row
  double strips = 0;           // of what electrons of one spin do alone, as a host has it
  double tiles = 0;            // likewise as a device has it
  double chunks = 0;           // of columns that alpha strings work on, one after the other
  Index longest = 0;           // list of beta strings
  Index bytes = 0;             // that are held
  Index apart = 0;             // bytes beside these where alpha strings are shared out
  Index turned = 0;            // bytes that a device holds beside these, for rows that it turns
  bool flips = false;          // vectors may be even or odd under the exchange of spins
};

struct Factors;

/// The Hamiltonian as string matrices, so that elements are neither stored nor computed one by one.
///
/// H is the sum of what alpha electrons do alone, of what beta electrons do alone, and of what a
/// pair of both does. The first two are matrices over strings of one spin, the same beside every
/// string of the other. Of the third, for an alpha string a and each pair rs of beta orbitals,
///     g_rs(b) = sum over singles a -> a' by pq of +-(pq|rs) x(a', b)
/// is a product of a small dense matrix with rows of x, and what beta singles by rs make of g_rs is
/// added to row a of y alone.
class FactorisedHamiltonian {
 public:
  /// Of one that may_factorise().
  explicit FactorisedHamiltonian(const HamiltonianRows& h);
  ~FactorisedHamiltonian();

  FactorWork work(const base::Backend& backend) const;

  /// In canonical order, whatever the partition of the Hamiltonian, which need not outlive it. The
  /// same bits each time and for every number of threads; those of a vector do not depend on the
  /// others of its block. Takes what was found; another one finds it again.
  std::unique_ptr<base::LinearOperator> product(const base::Backend& backend) &&;

  /// The same by many ranks, which have the rows of some alpha strings each, to the same bits.
  /// `ranks` must outlive it. All take products together, each rank with room for one whole vector.
  base::SharedOperator shared_product(const base::Communicator& ranks,
                                      const base::Backend& backend) &&;

 private:
  std::unique_ptr<Factors> factors_;
};

}  // namespace cisolve::ci
