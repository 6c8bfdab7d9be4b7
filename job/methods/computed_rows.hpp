#pragma once

#include <string>
#include <vector>

#include "base/ranks/collective_errors.hpp"
#include "base/stopwatch.hpp"
#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "job/methods/prepare.hpp"
#include "job/plan/plan.hpp"

// Shared by the methods that compute elements in each product.
namespace cisolve::job {

/// The form of a method that stores nothing. Throws ErrorKind::configuration if a request names the
/// method for a problem without such elements.
ProductForm unstored_form(const Request& request, const ProductMethod& method);

/// The only plan of such a method on the device or the host, with the reason for its rank.
std::vector<Plan> unstored_plan(const PlanInput& input, const ProductMethod& method, bool on_device,
                                std::string reason);

/// Seconds in which a host builds `bytes` bytes of tables.
double seconds_of_tables(Index bytes);

/// Vectors of a rank if whole vectors are gathered; a host gathers them by the pieces of the
/// layout.
RankVectors gathered_vectors(const EvenPortion& portion);

/// The Hamiltonian of `rows`, which must be those of a determinant problem.
const ci::HamiltonianRows& hamiltonian_of(const ProblemRows& rows);

/// The product that computes the elements of determinant rows, in canonical order; uses the tables
/// in `found` if there are any and frees its string matrices. The rows must outlive it.
ci::ComputedProductPtr computed_elements(const ProblemRows& rows, ProductDrafts& found,
                                         const base::Backend& backend);

/// A product that computes its elements, with its description; `stopwatch` gives the setup time.
PreparedProduct with_description(std::unique_ptr<base::LinearOperator> product,
                                 const base::Backend& backend, const base::Stopwatch& stopwatch);

/// Returns make() of each rank. Collective: an error of one rank is thrown on all.
template <class Make>
DistributedProduct build_collectively(const base::Communicator& ranks, const base::Backend& backend,
                                      Make make) {
  DistributedProduct shared;
  ranks.device_channel(backend);  // collective, before any rank may fail
  base::run_collectively(ranks, [&] { shared = make(); });
  return shared;
}

}  // namespace cisolve::job
