#pragma once

#include "ci/lattice/spins/spin_rows.hpp"
#include "job/problem/admission.hpp"
#include "job/problem/lattice_problem.hpp"
#include "sparse/rows/forwarded_rows.hpp"

namespace cisolve::job {

/// Spins on sites, or electrons of a symmetry, and the states that a request asks for.
struct SpinProblem {
  LatticeProblem lattice;
  ci::SpinModel model;
  ci::SpinBasis basis;
  std::optional<int> twice_spin;  // of all states that are wanted; none where it may be any
  std::string fallback = {};      // why the host found orbits in place of a device
};

/// Refuses what cannot be; orbits of symmetries are not looked for.
void require_possible_spins(const Request& request);

/// The rows of spins, with all that they stand on.
class SpinProblemRows final : public sparse::ForwardedRows {
 public:
  /// Orbits of many words are found on the backend, or on that of the admission, where it is a
  /// device that has the room; all else is the host's.
  SpinProblemRows(const Request& request, const base::Backend& backend,
                  Admission* admission = nullptr);

  const SpinProblem& problem() const { return problem_; }
  const ci::SpinRows& spins() const { return rows_; }

 private:
  const sparse::RowSource& inner() const override { return rows_; }

  SpinProblem problem_;
  ci::SpinRows rows_;
};

}  // namespace cisolve::job
