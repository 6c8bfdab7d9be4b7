#pragma once

#include <string>
#include <vector>

#include "base/ranks/collective_errors.hpp"
#include "base/stopwatch.hpp"
#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "job/methods/prepare.hpp"
#include "job/plan/plan.hpp"

// Functions that are common to the methods that compute elements in each product.
namespace cisolve::job {

/// The form of a method that stores nothing. Throws ErrorKind::configuration where a request names
/// the method for a problem that has no such elements.
ProductForm unstored_form(const Request& request, const ProductMethod& method);

/// The one plan of such a method at one place, and why it stands where it does.
std::vector<Plan> unstored_plan(const PlanInput& input, const ProductMethod& method, bool on_device,
                                std::string reason);

/// Seconds that a host takes to make so many bytes of tables.
double seconds_of_tables(Index bytes);

/// Each rank gathers whole vectors: a host piece by piece, as the layout has them.
RankVectors estimate_of_gathering(const EvenPortion& share);

/// The rows of a molecule's Hamiltonian, which these must be.
const ci::HamiltonianRows& hamiltonian_of(const ProblemRows& rows);

/// The product of a molecule's rows with elements that it computes, in canonical order, of what was
/// found for a plan; the rows must outlive it.
ci::ComputedProductPtr computed_elements(const ProblemRows& rows, ProductDrafts& found,
                                         const base::Backend& backend);

/// A product that computes its elements, with what is known of it.
PreparedProduct with_description(std::unique_ptr<base::LinearOperator> product,
                                 const base::Backend& backend, const base::Stopwatch& stopwatch);

/// make(), on all ranks alike: an error of one is that of all.
template <class Make>
DistributedProduct build_collectively(const base::Communicator& ranks, const base::Backend& backend,
                                      Make make) {
  DistributedProduct shared;
  ranks.device_channel(backend);  // together, before each does what it may fail in
  base::run_collectively(ranks, [&] { shared = make(); });
  return shared;
}

}  // namespace cisolve::job
