#pragma once

#include <memory>

#include "ci/hamiltonian/factorised/factorised.hpp"
#include "ci/hamiltonian/on_the_fly/computed_hamiltonian.hpp"
#include "ci/hamiltonian/on_the_fly/mixed.hpp"
#include "ci/lattice/spins/spin_rows.hpp"
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
struct Computed {
  std::unique_ptr<ci::ComputedHamiltonian> elements;   // null: nothing is known of it
  std::unique_ptr<ci::FactorisedHamiltonian> factors;  // null: nothing, or there are none
  std::optional<ci::ProductWork> work;                 // of rows that need nothing found

  void tell(const base::Backend& backend, Counts& counts) const;
};

/// Where a request leaves a choice that depends on it; nothing where the rows have so few elements
/// that it does not matter. The rows must outlive it. Throws Fault::configuration where string
/// matrices are asked for and there are none.
Computed computed_for(const Request& request, const ProblemRows& rows,
                      const std::optional<sparse::RowProfile>& profile);

/// Adds to what is known of rows what a sample of them tells, and finds what their strings tell,
/// where a plan depends on it; nothing is counted.
Computed look_at(const Request& request, const ProblemRows& rows, const base::Backend& backend,
                 Counts& counts);

/// The same, and tells it.
Computed learn(const Request& request, const ProblemRows& rows, const base::Backend& backend,
               Counts& counts);

/// A product of spins, of which each rank computes the rows that a layout of neighbours gives it.
/// On a host; the rows must outlive it.
std::unique_ptr<base::LinearOperator> shared_spins(const base::Communicator& ranks,
                                                   const base::Layout& layout,
                                                   const ci::SpinRows& rows,
                                                   const base::Backend& host);

}  // namespace cisolve::job
