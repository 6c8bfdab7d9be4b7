#include "solver/vectors/shifted_inverse.hpp"

#include <cmath>
#include <utility>

#include "solver/vectors/kernels.hpp"

namespace cisolve::solver {
namespace {

constexpr int kSmall = 64;  // rows: all eigenvectors are cheap
constexpr int kShare = 16;  // fraction of the rows: for more vectors, computing all is faster

/// amplitude / (value - shift) of x in the given eigenpairs.
SmallMatrix amplitudes_of(const EigenPairs& pairs, std::span<const double> shifts, double floor,
                          const SmallMatrix& x) {
  SmallMatrix amplitudes = transposed_product(pairs.vectors, x);
  for (int j = 0; j < amplitudes.columns(); ++j)
    for (int i = 0; i < amplitudes.rows(); ++i)
      amplitudes(i, j) /= guarded(pairs.values[i] - shifts[j], floor);
  return amplitudes;
}

std::span<double> column_of(SmallMatrix& x, int j) {
  return x.values().subspan(base::Index{j} * x.rows(), x.rows());
}

std::span<const double> column_of(const SmallMatrix& x, int j) {
  return x.values().subspan(base::Index{j} * x.rows(), x.rows());
}

/// x = x - (y . x) y; returns y . x.
double remove_component(std::span<const double> y, std::span<double> x) {
  double amplitude = 0;
  for (std::size_t i = 0; i < x.size(); ++i) amplitude += y[i] * x[i];
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= amplitude * y[i];
  return amplitude;
}

}  // namespace

ShiftedInverse::ShiftedInverse(SmallMatrix b, int few) : b_(std::move(b)) {
  if (rows() > kSmall && few <= rows() / kShare) {
    form_.emplace(b_);
    if (std::optional<EigenPairs> found = form_->lowest(few)) {
      inside_ = *std::move(found);
      few_ = inside_;
      for (int j = 0; j < few; ++j) form_->multiply_by_q(column_of(few_.vectors, j));
      return;
    }
  }
  all_ = symmetric_eigen(b_);
}

const EigenPairs& ShiftedInverse::lowest(int count) const {
  if (!all_ && count <= few_.vectors.columns()) return few_;
  if (!all_) all_ = symmetric_eigen(b_);
  return *all_;
}

/// Whether an eigenvalue other than the lowest few lies within `floor` of the shift.
bool ShiftedInverse::is_near_others(double shift, double floor) const {
  const int up_to = form_->count_below(shift + floor);
  return up_to > few_.vectors.columns() && up_to > form_->count_below(shift - floor);
}

void ShiftedInverse::apply(std::span<const double> shifts, double floor, SmallMatrix& x) const {
  for (const double shift : shifts)
    if (!all_ && is_near_others(shift, floor)) all_ = symmetric_eigen(b_);
  if (all_) {
    x = product(all_->vectors, amplitudes_of(*all_, shifts, floor, x));
    return;
  }
  for (int j = 0; j < x.columns(); ++j) apply_form(shifts[j], floor, column_of(x, j));
}

// Components along the lowest few eigenvectors are divided by their own distances, then removed
// once more: solving for the rest reintroduces them by rounding if one is near the shift.
void ShiftedInverse::apply_form(double shift, double floor, std::span<double> x) const {
  const int few = inside_.vectors.columns();
  std::vector<double> amplitudes(few);
  form_->multiply_by_q_transposed(x);
  for (int i = 0; i < few; ++i)
    amplitudes[i] = remove_component(column_of(inside_.vectors, i), x) /
                    guarded(inside_.values[i] - shift, floor);
  form_->solve(shift, x);
  for (int i = 0; i < few; ++i) {
    const auto vector = column_of(inside_.vectors, i);
    remove_component(vector, x);
    for (std::size_t r = 0; r < x.size(); ++r) x[r] += amplitudes[i] * vector[r];
  }
  form_->multiply_by_q(x);
}

}  // namespace cisolve::solver
