#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "base/operator.hpp"
#include "ci/oracle/rowwise.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/problem/site_problem.hpp"
#include "job/problem/watched_rows.hpp"

namespace cisolve::job {

/// An operator and the backend that holds its vectors.
struct SecondOperator {
  std::unique_ptr<base::LinearOperator> matrix;
  base::Backend backend;
};

/// A problem read a second time, to verify and describe its states. It shares no storage with the
/// first reading, so that an error of the first reading is detected.
class IndependentProblem {
 public:
  /// Orbits of site states are found on the backend, all else on its host.
  IndependentProblem(const Request& request, const base::Backend& backend);

  /// Null unless the problem is one of determinants.
  const DeterminantProblem* determinants() const { return get_as<DeterminantProblem>(); }
  /// Null unless the basis is one of site states.
  const SiteProblemRows* sites() const { return get_as<SiteProblemRows>(); }
  /// Passes on the ownership; the address stays the same.
  std::unique_ptr<const DeterminantProblem> take_determinants() {
    auto* held = std::get_if<std::unique_ptr<const DeterminantProblem>>(&problem_);
    return held == nullptr ? nullptr : std::move(*held);
  }

  /// The second operator; it refers to this.
  /// - Determinants: elements straight from them, on the backend.
  /// - Site states: elements straight from the terms, on the backend's host.
  /// - Matrix: read or generated again and stored on the host, or read in each product if memory is
  ///   short.
  /// `watch` receives the rows that are built, or the rows of products on the host.
  SecondOperator matrix(const base::Backend& backend, const Watch& watch = {}) const;

  /// The oracle for determinants or site states, on the host.
  std::unique_ptr<ci::OracleProduct> oracle(const Watch& watch = {}) const;
  /// Whether matrix(backend) would return oracle().
  bool is_oracle(const base::Backend& backend) const;

 private:
  /// Read again on demand.
  struct Matrix {};
  using Problem = std::variant<Matrix, std::unique_ptr<const DeterminantProblem>,
                               std::unique_ptr<const SiteProblemRows>>;

  static Problem read(const Request& request, const base::Backend& backend);
  template <class Part>
  const Part* get_as() const {
    const auto* held = std::get_if<std::unique_ptr<const Part>>(&problem_);
    return held == nullptr ? nullptr : held->get();
  }

  const Request& request_;
  Problem problem_;
};

}  // namespace cisolve::job
