#include "job/problem/computed.hpp"

#include "base/error.hpp"
#include "job/plan/computing.hpp"
#include "job/problem/molecule.hpp"

namespace cisolve::job {
namespace {

const MolecularRows* molecular(const sparse::RowSource& rows) {
  return dynamic_cast<const MolecularRows*>(&rows);
}

}  // namespace

std::unique_ptr<ci::ComputedHamiltonian> computed_for(
    const Request& request, const sparse::RowSource& rows,
    const std::optional<sparse::RowProfile>& profile) {
  if (!may_compute(request) || molecular(rows) == nullptr) return nullptr;
  if (profile && profile->nonzeros() < kLeastElements) return nullptr;
  try {
    return std::make_unique<ci::ComputedHamiltonian>(molecular(rows)->hamiltonian());
  } catch (const base::Error& error) {  // nothing is known where there is no room to look
    if (error.fault() != base::Fault::resources) throw;
    return nullptr;
  }
}

std::unique_ptr<base::LinearOperator> computed_product(const sparse::RowSource& rows,
                                                       ci::ComputedHamiltonian* found,
                                                       const base::Backend& backend) {
  if (found != nullptr) return found->product(backend);
  return ci::ComputedHamiltonian(molecular(rows)->hamiltonian()).product(backend);
}

}  // namespace cisolve::job
