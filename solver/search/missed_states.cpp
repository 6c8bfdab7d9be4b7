#include "solver/search/missed_states.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solver/vectors/orthogonalise.hpp"

namespace cisolve::solver {
namespace {

constexpr double kRounding = 1e-13;  // of the elements of the tridiagonal matrix
constexpr double kLostSoFar = 0.1;   // a smaller factor of a projection calls for another one

// The doubt falls fast before the lower end of the spectrum is seen, slowly while it is resolved,
// and fast again: from the slow part up to four limits were foreseen of searches that then came to
// an end within one.
constexpr int kStepsToForesee = 20;
constexpr int kPartToForesee = 4;  // of the limit, at least
constexpr double kFar = 4;         // limits

/// What the tridiagonal matrix says after each step.
class Evidence {
 public:
  /// A component c of a random unit vector: |c| < t has the probability t sqrt(2 rows / pi).
  explicit Evidence(double rows) : spread_(std::sqrt(2 * rows / std::numbers::pi)) {}

  /// beta_(i-1) / d_(i-1), which leads from one direction to the next.
  double factor() const { return pivot_ == 0 ? 0 : last_beta_ / pivot_; }

  /// alpha_i, and the beta_i that leads to the next step.
  void add(double alpha, double beta) {
    size_ = std::max({size_, std::abs(alpha), beta});
    pivot_ = alpha - last_beta_ * factor();  // of T = L D L^T
    definite_ = definite_ && pivot_ > 0;
    const double next = (-alpha * p_ - last_beta_ * p_before_) / beta;
    p_before_ = std::exchange(p_, next);
    sum_ += next * next;
    doubts_.push_back(std::log(spread_) - std::log(sum_) / 2);
    last_beta_ = beta;
  }

  bool found() const { return pivot_ < -kRounding * size_; }
  /// The chance that a random vector has as little weight on something below zero as it must have.
  double doubt() const { return definite_ ? std::min(1.0, spread_ / std::sqrt(sum_)) : 1; }
  bool excluded() const { return doubt() < MissedStates::kDoubt; }
  /// Steps that it will have taken when the doubt is small enough, if it falls as it did in the
  /// second half of those so far.
  double steps_foreseen() const {
    const auto steps = static_cast<double>(doubts_.size());
    const double half = doubts_[doubts_.size() / 2];
    const double rate = (half - doubts_.back()) / (steps - 1 - std::floor(steps / 2));
    const double rest = doubts_.back() - std::log(MissedStates::kDoubt);
    return rate > 0 ? steps + rest / rate : std::numeric_limits<double>::infinity();
  }

 private:
  double spread_;
  double size_ = 0;
  double pivot_ = 0;
  bool definite_ = true;
  double last_beta_ = 0;
  double p_before_ = 0;
  double p_ = 1;
  double sum_ = 1;
  std::vector<double> doubts_;  // their logarithms, also where they are no chances yet
};

}  // namespace

MissedStates::MissedStates(MeteredOperator& matrix, Vectors& vectors,
                           const Preparation& preparation, Region region, double floor,
                           Columns beside, std::span<const Columns> room)
    : matrix_(matrix),
      vectors_(vectors),
      region_(region),
      current_(room[0]),
      previous_(room[1]),
      next_(room[2]),
      image_(room[3]),
      direction_(room[4]),
      weights_(room[5]),
      once_(region.radius ? room[6] : Columns()),
      deflated_(beside) {
  preparation.fill_weights(region.energy, floor, weights_);
  divide(deflated_);
  deflated_ = deflated_.slice(0, orthogonalise(vectors, {}, deflated_).kept);
}

void MissedStates::divide(Columns y) const {
  const std::vector<double> no_shifts(y.count());
  for (int times = region_.radius ? 2 : 1; times > 0; --times)
    vectors_.divide_by_shifted(weights_, no_shifts, std::numeric_limits<double>::min(), y);
}

/// Takes (A - shift) times the image, or ((A - shift)^2 - radius^2) times it, for the next vector.
void MissedStates::multiply() {
  matrix_.apply(image_, next_);
  vectors_.axpy(-region_.energy, image_, next_);
  if (!region_.radius) return;
  matrix_.apply(next_, once_);
  vectors_.axpy(-region_.energy, next_, once_);
  vectors_.axpy(-*region_.radius * *region_.radius, image_, once_);
  std::swap(next_, once_);
}

void MissedStates::project(Columns y) {
  if (deflated_.count() > 0) vectors_.project_out(deflated_, y);
}

/// Returns the norm of what is left of the next vector. w_i and w_(i-1) have nothing of what it is
/// taken from, so that it is enough to take that once, but where the rest is of little size.
double MissedStates::project_step() {
  double norm = vectors_.norms(next_)[0];
  if (deflated_.count() == 0) return norm;
  for (int pass = 0; pass < 2; ++pass) {
    project(next_);
    const double before = std::exchange(norm, vectors_.norms(next_)[0]);
    if (norm >= kLostSoFar * before) break;
  }
  return norm;
}

/// False where nothing is left beside the states.
bool MissedStates::begin(std::uint64_t seed) {
  alpha_.clear();
  beta_.clear();
  vectors_.fill(0, previous_);
  vectors_.fill(0, direction_);
  vectors_.randomise(seed, current_);
  return orthogonalise(vectors_, deflated_, current_).kept == 1;
}

/// beta_i w_(i+1) = W^-1 (A - shift) W^-1 w_i - alpha_i w_i - beta_(i-1) w_(i-1), beside the
/// states. False when the recurrence has come to its end.
bool MissedStates::step() {
  const auto subtract = [&](double factor, ConstColumns x) { vectors_.axpy(-factor, x, next_); };
  vectors_.copy(current_, image_);
  divide(image_);
  multiply();
  divide(next_);
  const double alpha = vectors_.gram(current_, next_)(0, 0);
  subtract(alpha, current_);
  if (!beta_.empty()) subtract(beta_.back(), previous_);
  const double beta = project_step();
  if (!std::isfinite(alpha) || !std::isfinite(beta))
    base::fail(base::Fault::bad_input,
               "the operator gives products that are infinite or not numbers");
  const bool ends = beta <= kRounding * std::abs(alpha);
  vectors_.scale(ends ? 0 : 1 / beta, next_);
  alpha_.push_back(alpha);
  beta_.push_back(ends ? std::numeric_limits<double>::min() : beta);
  previous_ = std::exchange(current_, std::exchange(next_, previous_));
  return !ends;
}

Search MissedStates::run(std::uint64_t seed, int most, const std::function<bool()>& goes_on,
                         bool foresees) {
  if (most < 1) return {Verdict::undecided, 0, 1, std::numeric_limits<double>::infinity()};
  if (!begin(seed)) return {Verdict::excluded, 0, 0, std::numeric_limits<double>::infinity()};
  Evidence evidence(static_cast<double>(vectors_.dimension()));
  for (int steps = 1; steps <= most; ++steps) {
    turn_direction(evidence.factor());
    const bool continues = step();
    evidence.add(alpha_.back(), beta_.back());
    if (evidence.found()) return {Verdict::found, steps};
    if (evidence.excluded())
      return {Verdict::excluded, steps, evidence.doubt(), tridiagonal_pairs(steps).values.front()};
    if (!continues) return {Verdict::ended, steps};
    if (!goes_on()) return {Verdict::stopped, steps, evidence.doubt()};
    if (foresees && steps >= std::max(kStepsToForesee, most / kPartToForesee) &&
        evidence.steps_foreseen() > kFar * most)
      return {Verdict::far, steps, evidence.doubt(), tridiagonal_pairs(steps).values.front()};
  }
  return {Verdict::undecided, most, evidence.doubt(), tridiagonal_pairs(most).values.front()};
}

/// p_i = w_i - factor p_(i-1)
void MissedStates::turn_direction(double factor) {
  vectors_.scale(-factor, direction_);
  vectors_.axpy(1, current_, direction_);
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
  divide(y);
}

void MissedStates::point_to_lowest(std::uint64_t seed, int steps, Columns y) {
  const SmallMatrix s = columns_of(tridiagonal_pairs(steps).vectors, 0, 1);
  vectors_.fill(0, y);
  begin(seed);
  for (int i = 0; i < steps; ++i) {
    vectors_.axpy(s(i, 0), current_, y);
    if (i + 1 < steps) step();
  }
  divide(y);
}

}  // namespace cisolve::solver
