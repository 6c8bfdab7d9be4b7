#include "job/states/total_spin.hpp"

#include "base/block_kernels.hpp"
#include "ci/fock/integrals/same_orbitals.hpp"

namespace cisolve::job {

std::string why_no_spin(const ci::Integrals& integrals) {
  if (ci::have_same_orbitals(integrals)) return {};
  return "the integrals depend on spin: alpha and beta orbitals differ, and the file does not hold "
         "their overlaps";
}

std::vector<double> spins_of(const base::LinearOperator& s2, const base::MultiVector& x) {
  const base::Backend& backend = x.backend();
  std::vector<double> values;
  base::MultiVector image(backend, x.rows(), 1, "S^2 of a state");
  base::SmallMatrix product(1, 1);
  for (int j = 0; j < x.columns(); ++j) {
    s2.apply(x.block(j, 1), image.block());
    base::block_kernels(backend).gram(backend, x.block(j, 1), image.block(), product);
    values.push_back(product(0, 0));
  }
  return values;
}

}  // namespace cisolve::job
