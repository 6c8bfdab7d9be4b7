#include "job/problem/computed.hpp"

#include "base/error.hpp"
#include "ci/on_the_fly/on_the_fly.hpp"
#include "job/plan/computing.hpp"
#include "job/plan/mixing.hpp"
#include "job/problem/molecule.hpp"

namespace cisolve::job {
namespace {

constexpr double kLeastElements = 2e7;

const MolecularRows* molecular(const sparse::RowSource& rows) {
  return dynamic_cast<const MolecularRows*>(&rows);
}

}  // namespace

std::optional<ci::ProductWork> work_for(const Request& request, const sparse::RowSource& rows,
                                        const std::optional<sparse::RowProfile>& profile) {
  const bool computes = may_compute(request) || must_mix(request);
  if (!computes || molecular(rows) == nullptr) return std::nullopt;
  if (profile && profile->nonzeros() < kLeastElements) return std::nullopt;
  try {
    return ci::work_on_the_fly(molecular(rows)->hamiltonian());
  } catch (const base::Error& error) {  // nothing is known where there is no room to look
    if (error.fault() != base::Fault::resources) throw;
    return std::nullopt;
  }
}

std::unique_ptr<base::LinearOperator> computed_product(const sparse::RowSource& rows,
                                                       const base::Backend& backend) {
  return ci::on_the_fly(molecular(rows)->hamiltonian(), backend);
}

std::unique_ptr<ci::MixedProduct> mixed_product(const sparse::RowSource& rows,
                                                const sparse::FormatOptions& storage,
                                                const base::Backend& backend) {
  return std::make_unique<ci::MixedProduct>(molecular(rows)->hamiltonian(), storage, backend);
}

}  // namespace cisolve::job
