#include "solver/methods/first_look.hpp"

#include <algorithm>
#include <vector>

#include "solver/methods/lanczos.hpp"

namespace cisolve::solver {
namespace {

constexpr double kAbove = 0.05;  // of the width of the diagonal: no denominator is smaller
// Outside, times the states above the lowest: of unit vectors, and of the states of a model space,
// which leave less outside than is missing in the end.
constexpr double kTooMuch = 1.5;
constexpr double kTooMuchOfModel = 1.0;

}  // namespace

bool has_to_choose(const Task& task) {
  const Sizes& sizes = task.sizes;
  return task.options.method == Method::automatic && task.wanted == nullptr &&
         task.preparation.has_diagonal() &&
         task.options.preconditioner == PreconditionerKind::automatic &&
         task.options.start == StartKind::automatic && sizes.states > 1 &&
         sizes.capacity >= 2 * sizes.states + 2 * kStartsToLookAt &&
         has_room_for_lanczos(sizes, task.vectors.dimension());
}

double outside_start(const Task& task, RitzBasis& basis) {
  basis.update();
  const int count = basis.size();
  const SmallMatrix s = basis.first_coefficients(count);
  SmallMatrix s_theta = s;
  std::vector<double> shifts;
  for (int j = 0; j < count; ++j) {
    const double theta = basis.values()[j];
    for (int i = 0; i < count; ++i) s_theta(i, j) *= theta;
    shifts.push_back(theta - kAbove * task.preparation.width_of_diagonal());
  }
  const Columns r = basis.space().free_image(count);
  task.vectors.update(1, std::as_const(basis.space()).image(), s, 0, r);
  task.vectors.update(-1, std::as_const(basis.space()).basis(), s_theta, 1, r);
  task.preparation.preconditioner().apply(shifts, r);
  std::vector<double> norms = task.vectors.norms(r);
  std::ranges::sort(norms);
  return norms[norms.size() / 2];
}

bool is_for_lanczos(const Task& task, double outside) {
  const double too_much = task.preparation.has_model() ? kTooMuchOfModel : kTooMuch;
  return outside * (task.sizes.states - 1) > too_much;
}

}  // namespace cisolve::solver
