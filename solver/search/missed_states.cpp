#include "solver/search/missed_states.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solver/vectors/eigen_map.hpp"
#include "solver/vectors/orthogonalise.hpp"

namespace cisolve::solver {
namespace {

constexpr double kLostSoFar = 0.1;  // a smaller ratio calls for another projection

// The probability falls fast until the lower end of the spectrum is seen, slowly while that is
// resolved, and fast again: from the slow phase up to four limits were predicted for searches that
// finished within one.
constexpr int kStepsToForesee = 20;
constexpr int kPartToForesee = 4;  // fraction 1/4 of the limit, at least
constexpr double kFar = 4;         // limits

SmallMatrix number(double value) {
  SmallMatrix one(1, 1);
  one(0, 0) = value;
  return one;
}

}  // namespace

MissedStates::MissedStates(Vectors& vectors, const Preparation& preparation, Region region,
                           double floor, Columns beside, std::span<const Columns> room)
    : vectors_(vectors),
      region_(region),
      current_(room[0]),
      previous_(room[1]),
      direction_(room[2]),
      weights_(vectors, preparation, region, floor, beside, room[3]),
      next_(room[4]),
      image_(room[5]),
      once_(region.radius ? room[6] : Columns()),
      deflated_(beside),
      evidence_(static_cast<double>(vectors.dimension())) {
  weights_.divide(deflated_);
  deflated_ = deflated_.slice(0, orthogonalise(vectors, {}, deflated_));
}

void MissedStates::make_image() { weights_.divide_transposed(current_, image_); }

/// next = (A - shift) image, or ((A - shift)^2 - radius^2) image.
void MissedStates::multiply(MeteredOperator& matrix) {
  matrix.apply(image_, next_);
  vectors_.axpy(-region_.energy, image_, next_);
  if (!region_.radius) return;
  matrix.apply(next_, once_);
  vectors_.axpy(-region_.energy, next_, once_);
  vectors_.axpy(-*region_.radius * *region_.radius, image_, once_);
  std::swap(next_, once_);
}

/// Projects the next vector on the complement and returns its norm. w_i and w_(i-1) lie in the
/// complement, so one pass suffices unless little is left.
double MissedStates::project_step() {
  if (deflated_.count() == 0) return vectors_.norms(next_)[0];
  double norm = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const Taken taken = take_from(vectors_, deflated_, next_);
    norm = taken.after ? *taken.after : vectors_.norms(next_)[0];
    if (norm >= kLostSoFar * taken.before) break;
  }
  return norm;
}

bool MissedStates::begin(std::uint64_t seed) {
  alpha_.clear();
  beta_.clear();
  evidence_ = Evidence(static_cast<double>(vectors_.dimension()));
  vectors_.fill(0, previous_);
  vectors_.fill(0, direction_);
  vectors_.randomise(seed, current_);
  return orthogonalise(vectors_, deflated_, current_) == 1;
}

/// beta_i w_(i+1) = P W^-1 (A - shift) W^-T w_i - alpha_i w_i - beta_(i-1) w_(i-1), with the
/// projector P on the complement, from (A - shift) W^-T w_i. Returns false if the recurrence has
/// ended.
bool MissedStates::step() {
  const auto subtract = [&](double factor, ConstColumns x) { vectors_.axpy(-factor, x, next_); };
  weights_.divide(next_);
  const double alpha = vectors_.gram(current_, next_)(0, 0);
  subtract(alpha, current_);
  if (!beta_.empty()) subtract(beta_.back(), previous_);
  const double beta = project_step();
  if (!std::isfinite(alpha) || !std::isfinite(beta))
    base::fail(base::Fault::bad_input,
               "the operator gives products that are infinite or not numbers");
  const bool ends = beta <= Evidence::kRounding * std::abs(alpha);
  vectors_.update(1, next_, number(ends ? 0 : 1 / beta), 0, previous_);
  alpha_.push_back(alpha);
  beta_.push_back(ends ? std::numeric_limits<double>::min() : beta);
  std::swap(current_, previous_);
  return !ends;
}

Search MissedStates::run(MeteredOperator& matrix, std::uint64_t seed, int most,
                         const std::function<bool()>& goes_on, bool foresees) {
  if (most < 1) return kNothingSeen;
  if (!begin(seed)) return kNothingBeside;
  while (true) {
    turn_direction();
    make_image();
    multiply(matrix);
    if (const std::optional<Search> end = end_after_step(step())) return *end;
    if (!goes_on()) return so_far(Verdict::stopped);
    if (const std::optional<Search> end = limit(most, foresees)) return *end;
  }
}

void MissedStates::ask() {
  turn_direction();
  make_image();
}

std::optional<Search> MissedStates::take() { return end_after_step(step()); }

std::optional<Search> MissedStates::end_after_step(bool continues) {
  evidence_.add(alpha_.back(), beta_.back());
  if (evidence_.found()) return Search{Verdict::found, steps()};
  if (evidence_.excluded()) return so_far(Verdict::excluded);
  if (!continues) return Search{Verdict::ended, steps()};
  return {};
}

std::optional<Search> MissedStates::limit(int most, bool foresees) const {
  if (steps() >= most) return so_far(Verdict::undecided);
  if (foresees && steps() >= std::max(kStepsToForesee, most / kPartToForesee) &&
      evidence_.steps_foreseen() > kFar * most)
    return so_far(Verdict::far);
  return {};
}

Search MissedStates::so_far(Verdict verdict) const {
  const double lowest = tridiagonal_pairs(steps()).values.front();
  return {verdict, steps(), evidence_.doubt(), lowest, lowest * weights_.least()};
}

/// p_i = w_i - factor p_(i-1)
void MissedStates::turn_direction() {
  vectors_.update(1, current_, number(1), -evidence_.factor(), direction_);
}

EigenPairs MissedStates::tridiagonal_pairs(int steps) const {
  SmallMatrix t(steps, steps);
  for (int i = 0; i < steps; ++i) {
    t(i, i) = alpha_[i];
    if (i + 1 < steps) t(i + 1, i) = t(i, i + 1) = beta_[i];
  }
  return symmetric_eigen(t);
}

void MissedStates::point_to_found(Columns y) const {
  vectors_.copy(direction_, y);
  weights_.divide_transposed(y);
}

void MissedStates::point_to_lowest(MeteredOperator& matrix, std::uint64_t seed, int steps,
                                   Columns y) {
  const SmallMatrix s = columns_of(tridiagonal_pairs(steps).vectors, 0, 1);
  vectors_.fill(0, y);
  begin(seed);
  for (int i = 0; i < steps; ++i) {
    vectors_.axpy(s(i, 0), current_, y);
    if (i + 1 == steps) break;
    make_image();
    multiply(matrix);
    step();
  }
  weights_.divide_transposed(y);
}

}  // namespace cisolve::solver
