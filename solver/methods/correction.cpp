#include "solver/methods/correction.hpp"

#include <algorithm>

namespace cisolve::solver {
namespace {

constexpr double kAcross = 0.3;  // cosine of the angle between residual and direction

}  // namespace

void correct(Correction kind, const Preconditioner& preconditioner, const Vectors& vectors,
             std::span<const double> shifts, const SmallMatrix& s, SearchSpace& space) {
  const int count = s.columns();
  const Columns t = space.free_basis(count);
  preconditioner.apply(shifts, t);
  if (kind != Correction::olsen) return;
  const Columns x = space.free_image(count);
  vectors.update(1, space.basis(), s, 0, x);
  const SmallMatrix x_t = vectors.gram(x, t);
  preconditioner.apply(shifts, x);
  const SmallMatrix v_x = vectors.gram(space.basis(), x);
  std::vector<double> minus_epsilon(count);
  for (int j = 0; j < count; ++j) {
    double x_x = 0;  // x^T (M - shift)^-1 x
    for (int i = 0; i < s.rows(); ++i) x_x += s(i, j) * v_x(i, j);
    minus_epsilon[j] = x_x == 0 ? 0 : -x_t(j, j) / x_x;
  }
  vectors.axpy(minus_epsilon, x, t);
}

std::vector<double> shifts_that_descend(const Preconditioner& preconditioner, Vectors& vectors,
                                        std::vector<double> shifts, double lowest,
                                        SearchSpace& space) {
  const auto count = static_cast<int>(shifts.size());
  if (std::ranges::all_of(shifts, [=](double shift) { return shift <= lowest; })) return shifts;
  const Columns r = space.free_basis(count);
  const Columns t = space.free_image(count);
  vectors.copy(r, t);
  preconditioner.apply(shifts, t);
  const SmallMatrix r_t = vectors.gram(r, t);
  const std::vector<double> lengths = vectors.norms(r);
  const std::vector<double> rotated_norms = vectors.norms(t);
  for (int j = 0; j < count; ++j)
    if (!(r_t(j, j) > kAcross * lengths[j] * rotated_norms[j])) shifts[j] = lowest;
  return shifts;
}

}  // namespace cisolve::solver
