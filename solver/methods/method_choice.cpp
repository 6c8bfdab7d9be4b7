#include "solver/methods/method_choice.hpp"

#include <algorithm>
#include <vector>

#include "solver/methods/lanczos.hpp"

namespace cisolve::solver {
namespace {

constexpr double kAbove = 0.05;  // fraction of the diagonal's width; smallest denominator
// Limits of start_error() times the number of states above the lowest: for unit vectors, and for
// model space vectors, which underestimate what is missing.
constexpr double kTooMuch = 1.5;
constexpr double kTooMuchOfModel = 1.0;
// If vectors of a block cost half, the limit is kOfBlocks times higher, unless the error of each
// state is large.
constexpr double kOfBlocks = 2.2;
constexpr double kTooMuchOfEach = 0.3;

/// A device that reads its stored data once per block multiplies four vectors in the time of two.
bool are_blocks_cheap(const Task& task) {
  const base::OperatorDescription matrix = task.matrix.description();
  return !task.backend().is_host() && matrix.bytes_moved > 0 &&
         2 * matrix.bytes_held > matrix.bytes_moved;
}

}  // namespace

bool needs_method_choice(const Task& task) {
  const Sizes& sizes = task.sizes;
  return task.options.method == Method::automatic && task.wanted == nullptr &&
         task.setup.has_diagonal() &&
         task.options.preconditioner == PreconditionerKind::automatic &&
         task.options.start == StartKind::automatic && sizes.states > 1 &&
         sizes.capacity >= sizes.states + 2 * kStartsForChoice &&
         has_columns_for_lanczos(sizes, task.vectors.dimension());
}

double start_error(const Task& task, RitzBasis& basis) {
  basis.update();
  const int count = basis.size();
  const SmallMatrix s = basis.first_coefficients(count);
  SmallMatrix s_theta = s;
  std::vector<double> shifts;
  for (int j = 0; j < count; ++j) {
    const double theta = basis.values()[j];
    for (int i = 0; i < count; ++i) s_theta(i, j) *= theta - basis.space().shift();
    shifts.push_back(theta - kAbove * task.setup.width_of_diagonal());
  }
  const Columns r = basis.space().free_image(count);
  task.vectors.update(1, std::as_const(basis.space()).image(), s, 0, r);
  task.vectors.update(-1, std::as_const(basis.space()).basis(), s_theta, 1, r);
  task.setup.preconditioner().apply(shifts, r);
  std::vector<double> norms = task.vectors.norms(r);
  std::ranges::sort(norms);
  return norms[norms.size() / 2];
}

bool exceeds_davidson_limit(double outside, int states, bool of_model, bool blocks_are_cheap) {
  const double too_much = of_model ? kTooMuchOfModel : kTooMuch;
  const double of_all = outside * (states - 1);
  if (blocks_are_cheap && outside < kTooMuchOfEach) return of_all > kOfBlocks * too_much;
  return of_all > too_much;
}

bool prefers_lanczos(const Task& task, double outside) {
  return exceeds_davidson_limit(outside, task.sizes.states, task.setup.has_model(),
                                are_blocks_cheap(task));
}

}  // namespace cisolve::solver
