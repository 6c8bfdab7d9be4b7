#pragma once

#include <memory>

#include "ci/hamiltonian/factorised/factorised.hpp"
#include "ci/hamiltonian/on_the_fly/computed_hamiltonian.hpp"
#include "ci/hamiltonian/on_the_fly/partly_stored.hpp"
#include "ci/lattice/spins/site_model_rows.hpp"
#include "job/plan/demand.hpp"
#include "job/problem/problem_rows.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/profile.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::job {

/// With fewer elements, it does not matter whether they are stored or computed.
inline constexpr double kLeastElements = 3e6;

/// The profile of a sample of rows; none if no choice that a request leaves depends on it.
std::optional<sparse::RowProfile> profile_for(const Request& request, const sparse::RowSource& rows,
                                              const base::Backend& backend);

/// Analyses of determinant rows from which plans of products without stored elements are ranked,
/// and from which these are built.
struct ProductDrafts {
  std::unique_ptr<ci::ComputedHamiltonian> elements;   // null: unknown
  std::unique_ptr<ci::FactorisedHamiltonian> factors;  // null: unknown, or there are none
  std::optional<ci::ComputedCost> work;  // cost of site states, which need no analysis

  void write_costs(const base::Backend& backend, MatrixEstimate& counts) const;
};

/// The drafts if a choice of the request depends on them; none if the rows have so few elements
/// that it does not matter. The rows must outlive them. Throws ErrorKind::configuration if string
/// matrices are requested and there are none.
ProductDrafts draft_products(const Request& request, const ProblemRows& rows,
                             const std::optional<sparse::RowProfile>& profile);

/// Adds a sample of the rows to `counts` and analyses their strings if a plan depends on that;
/// counts no rows.
ProductDrafts estimate_products(const Request& request, const ProblemRows& rows,
                                const base::Backend& backend, MatrixEstimate& counts);

/// Like estimate_products(), but also adds the costs of the drafts to `counts`.
ProductDrafts estimate_counts(const Request& request, const ProblemRows& rows,
                              const base::Backend& backend, MatrixEstimate& counts);

/// A product of site states on a host, of which each rank computes its consecutive rows of the
/// layout. The rows must outlive it.
std::unique_ptr<base::LinearOperator> distributed_site_product(const base::Communicator& ranks,
                                                               const base::Layout& layout,
                                                               const ci::SiteModelRows& rows,
                                                               const base::Backend& host);

}  // namespace cisolve::job
