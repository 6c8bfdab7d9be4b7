#pragma once

#include "ci/spins/spin_rows.hpp"
#include "job/problem/admission.hpp"
#include "job/problem/lattice_problem.hpp"

namespace cisolve::job {

/// Spins on sites, and the states that a request asks for.
struct SpinProblem {
  LatticeProblem lattice;
  ci::SpinModel model;
  ci::SpinBasis basis;
};

/// Refuses what cannot be; orbits of symmetries are not looked for.
void require_possible_spins(const Request& request);

/// The rows of spins, with all that they stand on.
class SpinProblemRows final : public sparse::RowSource {
 public:
  SpinProblemRows(const Request& request, const base::Backend& host,
                  Admission* admission = nullptr);

  const SpinProblem& problem() const { return problem_; }
  const ci::SpinRows& spins() const { return rows_; }
  sparse::MatrixShape shape() const override { return rows_.shape(); }
  void count(Index first, std::span<sparse::Column> lengths) const override {
    rows_.count(first, lengths);
  }
  void fill(Index first, Index last, std::span<sparse::Column> columns,
            std::span<double> values) const override {
    rows_.fill(first, last, columns, values);
  }

 private:
  SpinProblem problem_;
  ci::SpinRows rows_;
};

}  // namespace cisolve::job
