#include "job/states/total_spin.hpp"

#include "ci/integrals/same_orbitals.hpp"
#include "ci/states/spin_squared.hpp"

namespace cisolve::job {

std::string why_no_spin(const ci::Integrals& integrals) {
  if (ci::have_same_orbitals(integrals)) return {};
  return "the integrals depend on spin: alpha and beta orbitals differ, and their overlaps are not "
         "in the file";
}

std::vector<double> spins_of(const ci::Space& space, const base::MultiVector& x) {
  const ci::SpinSquared s2(space);
  std::vector<double> values;
  base::MultiVector image(x.backend(), x.rows(), 1, "S^2 of a state");
  for (int j = 0; j < x.columns(); ++j) {
    s2.apply(x.block(j, 1), image.block());
    double sum = 0;
    for (Index row = 0; row < x.rows(); ++row) sum += x(row, j) * image(row, 0);
    values.push_back(sum);
  }
  return values;
}

}  // namespace cisolve::job
