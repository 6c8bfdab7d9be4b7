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

/// Of fewer it does not matter whether they are stored or computed.
inline constexpr double kLeastElements = 3e6;

/// The profile of a sample of rows; none if no choice that a request leaves depends on it.
std::optional<sparse::RowProfile> profile_for(const Request& request, const sparse::RowSource& rows,
                                              const base::Backend& backend);

/// What was found of a molecule's rows to plan products that store none of their elements, and what
/// these begin with.
struct ProductDrafts {
  std::unique_ptr<ci::ComputedHamiltonian> elements;   // null: nothing is known of it
  std::unique_ptr<ci::FactorisedHamiltonian> factors;  // null: nothing, or there are none
  std::optional<ci::ComputedCost> work;                // of rows that need nothing found

  void tell(const base::Backend& backend, MatrixEstimate& counts) const;
};

/// Where a request leaves a choice that depends on it; nothing where the rows have so few elements
/// that it does not matter. The rows must outlive it. Throws ErrorKind::configuration where string
/// matrices are asked for and there are none.
ProductDrafts draft_products(const Request& request, const ProblemRows& rows,
                             const std::optional<sparse::RowProfile>& profile);

/// Adds to what is known of rows what a sample of them tells, and finds what their strings tell,
/// where a plan depends on it; nothing is counted.
ProductDrafts estimate_products(const Request& request, const ProblemRows& rows,
                                const base::Backend& backend, MatrixEstimate& counts);

/// The same, and tells it.
ProductDrafts estimate_counts(const Request& request, const ProblemRows& rows,
                              const base::Backend& backend, MatrixEstimate& counts);

/// A product of spins, of which each rank computes the rows that a layout of neighbours gives it.
/// On a host; the rows must outlive it.
std::unique_ptr<base::LinearOperator> distributed_site_product(const base::Communicator& ranks,
                                                               const base::Layout& layout,
                                                               const ci::SiteModelRows& rows,
                                                               const base::Backend& host);

}  // namespace cisolve::job
