#pragma once

#include "ci/lattice/spins/site_model_rows.hpp"
#include "job/problem/feasibility_check.hpp"
#include "job/problem/lattice_problem.hpp"
#include "sparse/rows/forwarded_rows.hpp"

namespace cisolve::job {

/// A problem in a basis of site states: localised spins, or electrons with a symmetry.
struct SiteProblem {
  LatticeProblem lattice;
  ci::SiteModel model;
  ci::SymmetryAdaptedBasis basis;
  std::optional<int> twice_spin;  // twice the spin of all wanted states; none: any
  std::string fallback = {};      // why the host, not the device, found the orbits
};

/// Refuses impossible requests; finds no orbits.
void require_possible_spins(const Request& request);

/// The rows of a site problem; owns the problem.
class SiteProblemRows final : public sparse::ForwardedRows {
 public:
  /// The orbits of large bases are found on the device of the backend, or of the feasibility, if
  /// there is one with the memory; all else is done on the host.
  SiteProblemRows(const Request& request, const base::Backend& backend,
                  FeasibilityCheck* feasibility = nullptr);

  const SiteProblem& problem() const { return problem_; }
  const ci::SiteModelRows& model_rows() const { return rows_; }

 private:
  const sparse::RowSource& inner() const override { return rows_; }

  SiteProblem problem_;
  ci::SiteModelRows rows_;
};

}  // namespace cisolve::job
