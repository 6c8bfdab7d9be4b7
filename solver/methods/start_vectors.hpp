#pragma once

#include "solver/basis/search_space.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// Largest fraction of the minor symmetry that is removed from a correction or a start, which is as
/// good a direction without it.
inline constexpr double kImpure = 0.3;

/// Start vectors of Davidson, made in the free columns of its search space.
class StartVectors {
 public:
  /// `start` may be null.
  StartVectors(const Task& task, SearchSpace& space, const Checkpoint* start);

  /// Number of start vectors.
  int count() const;

  /// Fills the first `count` of `free_columns` free columns with start vectors `before`, `before` +
  /// 1, ... and further columns with vectors that belong to these. Returns the number of columns
  /// filled.
  int fill(int before, int count, int free_columns);

 private:
  int given() const;
  void fill(int before, Columns y);
  int with_random(int count, int free_columns);
  int project_starts(Columns starts, int count);

  const Task& task_;
  SearchSpace& space_;
  const Checkpoint* start_;
};

}  // namespace cisolve::solver
