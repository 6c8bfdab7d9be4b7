#pragma once

#include <functional>
#include <optional>

#include "solver/basis/roots.hpp"
#include "solver/search/search_below.hpp"
#include "solver/task/result.hpp"

namespace cisolve::solver {

/// Searches after convergence, for missed states and partners of the highest one, within one budget
/// of products that includes refining the partners. Records their outcome in the result.
class Searches {
 public:
  Searches(const Task& task, Index dimension, RitzBasis& basis, Roots& roots, Result& result)
      : task_(task), dimension_(dimension), basis_(basis), roots_(roots), result_(result) {}

  /// Products left in the budget.
  Index product_budget() const;

  /// Returns true if there is more to do: a partner to refine, or a new direction in the basis.
  /// `goes_on` is called after each product of a search; false stops.
  bool find_more(const std::function<bool()>& goes_on);

 private:
  bool searches_around_energy() const;  // whether states around an energy are wanted
  SearchEnd reason_against() const;
  bool search(const std::function<bool()>& goes_on, std::optional<SearchEnd> lower);
  SearchOutcome outcome_of(const std::function<bool()>& goes_on, std::optional<SearchEnd> lower);

  const Task& task_;
  const Index dimension_;
  RitzBasis& basis_;
  Roots& roots_;
  Result& result_;
  int number_ = 0;
};

}  // namespace cisolve::solver
