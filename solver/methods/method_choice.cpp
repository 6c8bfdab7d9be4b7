#include "solver/methods/method_choice.hpp"

#include <algorithm>
#include <vector>

#include "solver/methods/lanczos.hpp"

namespace cisolve::solver {
namespace {

// Distance of the shifts below the Ritz values, in widths of the diagonal.
constexpr double kShiftBelow = 0.05;
// Lanczos is chosen if start_error() * (states - 1) exceeds this limit, for start vectors that are
// unit vectors or of a model space; the latter underestimate what is missing.
constexpr double kLimit = 1.5;
constexpr double kLimitWithModel = 1.0;
// If a vector in a block costs half of a single one, the limit is this much higher, unless the
// error of each state is large.
constexpr double kFactorIfBlocksAreCheap = 2.2;
constexpr double kLargeErrorOfState = 0.3;

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
    shifts.push_back(theta - kShiftBelow * task.setup.width_of_diagonal());
  }
  const Columns r = basis.space().free_image(count);
  task.vectors.update(1, std::as_const(basis.space()).image(), s, 0, r);
  task.vectors.update(-1, std::as_const(basis.space()).basis(), s_theta, 1, r);
  task.setup.preconditioner().apply(shifts, r);
  std::vector<double> norms = task.vectors.norms(r);
  std::ranges::sort(norms);
  return norms[norms.size() / 2];
}

bool exceeds_davidson_limit(double start_error, int states, bool with_model,
                            bool blocks_are_cheap) {
  const double limit = with_model ? kLimitWithModel : kLimit;
  const double error_of_all = start_error * (states - 1);
  if (blocks_are_cheap && start_error < kLargeErrorOfState)
    return error_of_all > kFactorIfBlocksAreCheap * limit;
  return error_of_all > limit;
}

bool prefers_lanczos(const Task& task, double start_error) {
  return exceeds_davidson_limit(start_error, task.sizes.states, task.setup.has_model(),
                                are_blocks_cheap(task));
}

}  // namespace cisolve::solver
