#pragma once

#include "solver/basis/search_space.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// Of a correction or a start: it is as good a direction without so much of another symmetry.
inline constexpr double kImpure = 0.3;

/// What a Davidson solution begins with, made in the free columns of its search space.
class Starts {
 public:
  /// `start` may be null.
  Starts(const Task& task, SearchSpace& space, const Checkpoint* start);

  /// How many there are to be.
  int count() const;

  /// Fills the first of `room` free columns with as many that come after those before, and others
  /// with what belongs to them. Returns how many there are.
  int fill(int before, int count, int room);

 private:
  int given() const;
  void fill(int before, Columns y);
  int with_random(int count, int room);
  int purified(Columns starts, int count);

  const Task& task_;
  SearchSpace& space_;
  const Checkpoint* start_;
};

}  // namespace cisolve::solver
