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

/// An operator, and the backend in whose memory its vectors lie.
struct SecondOperator {
  std::unique_ptr<base::LinearOperator> matrix;
  base::Backend backend;
};

/// A problem read a second time: what its states are verified and described by. It shares no
/// storage with the first reading, so that a fault in that shows.
class IndependentProblem {
 public:
  /// Orbits of spins are found on the backend; all else is the host's.
  IndependentProblem(const Request& request, const base::Backend& backend);

  /// Null where a matrix is all there is.
  const DeterminantProblem* molecule() const { return get_as<DeterminantProblem>(); }
  /// Null where there are no spins.
  const SiteProblemRows* spins() const { return get_as<SiteProblemRows>(); }
  /// It stays where it is.
  std::unique_ptr<const DeterminantProblem> take_molecule() {
    auto* held = std::get_if<std::unique_ptr<const DeterminantProblem>>(&problem_);
    return held == nullptr ? nullptr : std::move(*held);
  }

  /// A Hamiltonian straight from its determinants, on the backend; one of spins straight from its
  /// terms, on the backend's host; a matrix from its file, or
  /// generated, on the backend's host, which reads its rows in each product where it has not the
  /// room for them. `watch` hears of rows that are built, or of those of products on the host. It
  /// refers to this.
  SecondOperator matrix(const base::Backend& backend, const Watch& watch = {}) const;

  /// Of a molecule or of spins, on the host.
  std::unique_ptr<ci::OracleProduct> direct(const Watch& watch = {}) const;
  /// Whether matrix(backend) would be that.
  bool is_direct(const base::Backend& backend) const;

 private:
  /// A matrix is read by whoever asks for it.
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
