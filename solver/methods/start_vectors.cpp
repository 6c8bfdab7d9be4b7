#include "solver/methods/start_vectors.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace cisolve::solver {
namespace {

constexpr int kRandomStarts = 2;

}  // namespace

StartVectors::StartVectors(const Task& task, SearchSpace& space, const Checkpoint* start)
    : task_(task), space_(space), start_(start) {}

/// Vectors to follow are start vectors as well.
int StartVectors::given() const {
  if (start_ != nullptr) return start_->basis.columns();
  return task_.wanted == nullptr ? 0 : task_.wanted->target().count();
}

int StartVectors::count() const {
  return std::max(given(), task_.sizes.states + task_.sizes.guards);
}

int StartVectors::fill(int before, int count, int free_columns) {
  fill(before, space_.free_basis(count));
  return project_starts(space_.free_basis(free_columns), count + with_random(count, free_columns));
}

void StartVectors::fill(int before, Columns y) {
  const int from_given = std::clamp(given() - before, 0, y.count());
  const Columns known = y.slice(0, from_given);
  if (start_ != nullptr && from_given > 0)
    task_.vectors.from(start_->basis, start_->layout, known, before);
  else if (from_given > 0)
    task_.vectors.copy(task_.wanted->target().slice(before, from_given), known);
  const int rest = y.count() - from_given;
  task_.setup.fill_start(y.slice(from_given, rest), space_.free_image(rest),
                         std::max(0, before - given()));
}

/// Appends random start vectors after the first `count`, near an energy only: states there may have
/// any symmetry, and lower states do not lead to them. Returns their number.
int StartVectors::with_random(int count, int free_columns) {
  if (start_ != nullptr || task_.wanted == nullptr || !task_.wanted->energy()) return 0;
  const int random = std::min(std::max(kRandomStarts, task_.sizes.states), free_columns - count);
  if (random <= 0) return 0;
  task_.setup.fill_random(base::mix(task_.options.seed, 0), *task_.wanted->energy(),
                          space_.free_basis(free_columns).slice(count, random));
  return random;
}

/// Projects the first `count` columns on one symmetry each, if products with such vectors cost
/// less. A mixture becomes two start vectors, or stays if no column is free. Returns the number of
/// columns.
int StartVectors::project_starts(Columns starts, int count) {
  int all = count;
  for (int j = 0; j < count; ++j) {
    const Columns start = starts.slice(j, 1);
    const Columns whole = space_.free_image(1);
    if (task_.matrix.project_symmetry(kImpure, start) > 0 || all == starts.count()) continue;
    task_.vectors.copy(start, whole);
    if (task_.matrix.project_symmetry(1, start) == 0) continue;
    const Columns rest = starts.slice(all++, 1);
    task_.vectors.copy(whole, rest);
    task_.vectors.axpy(-1, start, rest);
  }
  return all;
}

}  // namespace cisolve::solver
