#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "job/problem/determinant_problem.hpp"
#include "job/problem/site_problem.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::job {

/// Owns the rows of a problem: of determinants, of site states, or of a matrix of which no more is
/// known. May be empty.
class ProblemRows {
 public:
  ProblemRows() = default;
  /// The type of the rows determines the kind of problem.
  template <std::derived_from<sparse::RowSource> Rows>
  ProblemRows(std::unique_ptr<Rows> rows)  // NOLINT(google-explicit-constructor)
      : of_(Held<Rows>(std::move(rows))) {}

  explicit operator bool() const { return get() != nullptr; }
  const sparse::RowSource& operator*() const { return *get(); }
  const sparse::RowSource* operator->() const { return get(); }

  /// Null for other problems.
  const DeterminantRows* determinants() const { return get_as<DeterminantRows>(); }
  const SiteProblemRows* sites() const { return get_as<SiteProblemRows>(); }

  /// Passes on the rows; this is empty afterwards.
  std::unique_ptr<const sparse::RowSource> take() {
    auto rows = std::visit(
        [](auto& held) { return std::unique_ptr<const sparse::RowSource>(std::move(held)); }, of_);
    reset();
    return rows;
  }
  void reset() { of_ = Matrix(); }

 private:
  using Matrix = std::unique_ptr<const sparse::RowSource>;
  template <class Rows>
  using Held = std::unique_ptr<
      const std::conditional_t<std::same_as<std::remove_const_t<Rows>, DeterminantRows> ||
                                   std::same_as<std::remove_const_t<Rows>, SiteProblemRows>,
                               Rows, sparse::RowSource>>;

  const sparse::RowSource* get() const {
    return std::visit([](const auto& held) -> const sparse::RowSource* { return held.get(); }, of_);
  }
  template <class Rows>
  const Rows* get_as() const {
    const auto* held = std::get_if<std::unique_ptr<const Rows>>(&of_);
    return held == nullptr ? nullptr : held->get();
  }

  std::variant<Matrix, std::unique_ptr<const DeterminantRows>,
               std::unique_ptr<const SiteProblemRows>>
      of_;
};

/// Null unless the problem is one of determinants.
inline const DeterminantProblem* determinant_problem_of(const ProblemRows& rows) {
  const DeterminantRows* found = rows.determinants();
  return found == nullptr ? nullptr : &found->determinant_problem();
}

}  // namespace cisolve::job
