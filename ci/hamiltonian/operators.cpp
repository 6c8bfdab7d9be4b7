#include "ci/hamiltonian/operators.hpp"

#include "base/error.hpp"
#include "ci/hamiltonian/factorised/factorised.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "sparse/rows/forwarded_rows.hpp"

namespace cisolve::ci {
namespace {

class CanonicalRows final : public sparse::ForwardedRows {
 public:
  CanonicalRows(const Space& space, const Integrals& integrals, double threshold)
      : order_(space.host()), rows_(space, integrals, order_, threshold) {}

 private:
  const sparse::RowSource& inner() const override { return rows_; }

  Partition order_;
  HamiltonianRows rows_;
};

}  // namespace

std::unique_ptr<sparse::RowSource> hamiltonian_rows(const Space& space, const Integrals& integrals,
                                                    double threshold) {
  return std::make_unique<CanonicalRows>(space, integrals, threshold);
}

std::unique_ptr<base::LinearOperator> factorised_hamiltonian(const Space& space,
                                                             const Integrals& integrals,
                                                             const base::Backend& backend) {
  const Partition order(space.host());
  const HamiltonianRows rows(space, integrals, order);
  if (!may_factorise(rows))
    base::fail(base::ErrorKind::bad_input,
               "the Hamiltonian cannot be factorised: alpha strings of the space have lists of "
               "beta strings that overlap without being equal; expected full CI, one irrep of it "
               "or a product of lists; hamiltonian_rows() serves any space");
  return FactorisedHamiltonian(rows).product(backend);
}

}  // namespace cisolve::ci
