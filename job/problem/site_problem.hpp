#pragma once

#include "ci/lattice/spins/site_model_rows.hpp"
#include "job/problem/admission.hpp"
#include "job/problem/lattice_problem.hpp"
#include "sparse/rows/forwarded_rows.hpp"

namespace cisolve::job {

/// Spins on sites, or electrons of a symmetry, and the states that a request asks for.
struct SiteProblem {
  LatticeProblem lattice;
  ci::SiteModel model;
  ci::SymmetryAdaptedBasis basis;
  std::optional<int> twice_spin;  // of all states that are wanted; none where it may be any
  std::string fallback = {};      // why the host found orbits in place of a device
};

/// Refuses what cannot be; orbits of symmetries are not looked for.
void require_possible_spins(const Request& request);

/// The rows of spins, with all that they stand on.
class SiteProblemRows final : public sparse::ForwardedRows {
 public:
  /// Orbits of many words are found on the backend, or on that of the admission, where it is a
  /// device that has the room; all else is the host's.
  SiteProblemRows(const Request& request, const base::Backend& backend,
                  FeasibilityCheck* admission = nullptr);

  const SiteProblem& problem() const { return problem_; }
  const ci::SiteModelRows& spins() const { return rows_; }

 private:
  const sparse::RowSource& inner() const override { return rows_; }

  SiteProblem problem_;
  ci::SiteModelRows rows_;
};

}  // namespace cisolve::job
