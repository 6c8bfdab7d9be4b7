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

MissedStates::MissedStates(Vectors& vectors, const SolverSetup& setup, SearchRegion region,
                           double floor, Columns deflated, std::span<const Columns> workspace)
    : vectors_(vectors),
      region_(region),
      current_(workspace[0]),
      previous_(workspace[1]),
      direction_(workspace[2]),
      scaling_(vectors, setup, region, floor, deflated, workspace[3]),
      next_(workspace[4]),
      image_(workspace[5]),
      once_(region.radius ? workspace[6] : Columns()),
      deflated_(deflated),
      exclusion_(static_cast<double>(vectors.dimension())) {
  scaling_.divide(deflated_);
  deflated_ = deflated_.slice(0, orthogonalise(vectors, {}, deflated_));
}

void MissedStates::make_image() { scaling_.divide_transposed(current_, image_); }

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
    const Projection taken = project_out(vectors_, deflated_, next_);
    norm = taken.after ? *taken.after : vectors_.norms(next_)[0];
    if (norm >= kLostSoFar * taken.before) break;
  }
  return norm;
}

bool MissedStates::begin(std::uint64_t seed) {
  alpha_.clear();
  beta_.clear();
  exclusion_ = ExclusionBound(static_cast<double>(vectors_.dimension()));
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
  scaling_.divide(next_);
  const double alpha = vectors_.gram(current_, next_)(0, 0);
  subtract(alpha, current_);
  if (!beta_.empty()) subtract(beta_.back(), previous_);
  const double beta = project_step();
  if (!std::isfinite(alpha) || !std::isfinite(beta))
    base::fail(base::ErrorKind::bad_input, "the operator gives products that are infinite or NaN");
  const bool ends = beta <= ExclusionBound::kRounding * std::abs(alpha);
  vectors_.update(1, next_, number(ends ? 0 : 1 / beta), 0, previous_);
  alpha_.push_back(alpha);
  beta_.push_back(ends ? std::numeric_limits<double>::min() : beta);
  std::swap(current_, previous_);
  return !ends;
}

SearchRun MissedStates::run(MeteredOperator& matrix, std::uint64_t seed, int most,
                            const std::function<bool()>& goes_on, bool foresees) {
  if (most < 1) return kNoSteps;
  if (!begin(seed)) return kNothingOutside;
  while (true) {
    update_direction();
    make_image();
    multiply(matrix);
    if (const std::optional<SearchRun> end = end_after_step(step())) return *end;
    if (!goes_on()) return so_far(SearchVerdict::stopped);
    if (const std::optional<SearchRun> end = limit(most, foresees)) return *end;
  }
}

void MissedStates::next_vector() {
  update_direction();
  make_image();
}

std::optional<SearchRun> MissedStates::accept_image() { return end_after_step(step()); }

std::optional<SearchRun> MissedStates::end_after_step(bool continues) {
  exclusion_.add(alpha_.back(), beta_.back());
  if (exclusion_.found()) return SearchRun{SearchVerdict::found, steps()};
  if (exclusion_.excluded()) return so_far(SearchVerdict::excluded);
  if (!continues) return SearchRun{SearchVerdict::ended, steps()};
  return {};
}

std::optional<SearchRun> MissedStates::limit(int most, bool foresees) const {
  if (steps() >= most) return so_far(SearchVerdict::undecided);
  if (foresees && steps() >= std::max(kStepsToForesee, most / kPartToForesee) &&
      exclusion_.steps_foreseen() > kFar * most)
    return so_far(SearchVerdict::far);
  return {};
}

SearchRun MissedStates::so_far(SearchVerdict verdict) const {
  const double lowest = tridiagonal_pairs(steps()).values.front();
  return {verdict, steps(), exclusion_.miss_probability(), lowest, lowest * scaling_.least()};
}

/// p_i = w_i - factor p_(i-1)
void MissedStates::update_direction() {
  vectors_.update(1, current_, number(1), -exclusion_.factor(), direction_);
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
  scaling_.divide_transposed(y);
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
  scaling_.divide_transposed(y);
}

}  // namespace cisolve::solver
