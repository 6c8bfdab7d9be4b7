#pragma once

#include <functional>
#include <optional>

#include "solver/basis/roots.hpp"
#include "solver/search/search_beside.hpp"
#include "solver/task/result.hpp"

namespace cisolve::solver {

/// What follows when the states are found: searches for such as were missed and for partners of
/// the highest, within an allowance of products for all of them and for refining the partners.
/// What is known then stands in the result.
class Searches {
 public:
  Searches(const Task& task, Index dimension, RitzBasis& basis, Roots& roots, Result& result)
      : task_(task), dimension_(dimension), basis_(basis), roots_(roots), result_(result) {}

  /// The products that are left.
  Index allowance() const;

  /// True when there is more to do: a partner to refine, or what a search has told the basis of.
  /// `tell` is asked after each product of a search whether to go on.
  bool find_more(const std::function<bool()>& tell);

 private:
  bool is_around() const;  // an energy, not below the states
  SearchEnd reason_against() const;
  bool search(const std::function<bool()>& tell, std::optional<SearchEnd> lower);
  SearchOutcome outcome_of(const std::function<bool()>& tell, std::optional<SearchEnd> lower);

  const Task& task_;
  const Index dimension_;
  RitzBasis& basis_;
  Roots& roots_;
  Result& result_;
  int number_ = 0;
};

}  // namespace cisolve::solver
