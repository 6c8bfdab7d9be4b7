#include "bench/eigensolvers/contest.hpp"
#include "sparse/stored/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "base/stopwatch.hpp"
#include "solver/task/preconditioner.hpp"
#include "solver/vectors/kernels.hpp"
#include "solver/vectors/orthogonalise.hpp"

namespace cisolve::bench {
namespace {

constexpr double kRandomShare = 1e-4;
constexpr double kSlack = 1.01;  // factor on the tolerance: rounding in an updated residual

double dot(const double* x, const double* y, Index rows) {
  return std::inner_product(x, x + rows, y, 0.0);
}

}  // namespace

Contest::Contest(const TestProblem& problem, int width, double tolerance, const base::Backend& host,
                 const base::Backend* device)
    : device_(device),
      matrix_(sparse::build_matrix(sparse::CsrRows(*problem.matrix), {.format = "csr"}, host)),
      states_(problem.states),
      width_(width),
      is_hard_(problem.is_hard()),
      tolerance_(tolerance),
      diagonal_(problem.matrix->shape.rows),
      start_(host, problem.matrix->shape.rows, problem.states) {
  if (device != nullptr)
    on_device_ =
        sparse::build_matrix(sparse::CsrRows(*problem.matrix), {.format = "tiled"}, *device);
  matrix_->diagonal({diagonal_.data(), rows(), 1, rows()});
  const auto& lowest = problem.lowest;
  if (std::ssize(lowest) >= states_)
    size_ = std::max(std::abs(lowest.front()), std::abs(lowest[states_ - 1]));
  else
    size_ = std::abs(std::ranges::min(diagonal_));
  fill_start();
}

int Contest::columns() const {
  return static_cast<int>(std::min<Index>(rows(), std::max(is_hard() ? 22 : 24, 2 * states_ + 20)));
}

void Contest::fill_start() {
  std::vector<Index> order(rows());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [this](Index i) { return diagonal_[i]; });
  const double amplitude = kRandomShare / std::sqrt(static_cast<double>(rows()) / 3);
  for (int j = 0; j < states_; ++j) {
    base::RandomStream random(17, j);
    for (Index i = 0; i < rows(); ++i) start_(i, j) = amplitude * (2 * random.uniform() - 1);
    start_(order[j], j) += 1;
  }
  solver::Vectors vectors(backend(), solver::kOneProcess, base::Layout::whole(rows()), states_);
  solver::orthogonalise(vectors, start_.block(0, 0), start_.block());
}

void Contest::multiply(base::ConstBlock x, base::Block y) const {
  const base::Stopwatch watch;
  matrix_->apply(x, y);
  product_seconds_ += watch.seconds();
  products_ += x.columns;
}

// Does not time products one by one, since the device would have to wait: see
// device_seconds_per_product().
void Contest::multiply_on_device(base::ConstBlock x, base::Block y) const {
  if (device_ == nullptr) return multiply(x, y);
  on_device_->apply(x, y);
  products_ += x.columns;
}

bool Contest::diagonal_on_device(base::Block d) const {
  return (device_ != nullptr ? *on_device_ : *matrix_).diagonal(d);
}

double Contest::device_seconds_per_product() const {
  if (device_ == nullptr) return 0;
  constexpr int kTimes = 50;
  const base::MultiVector x = start_.to(*device_);
  base::MultiVector y(*device_, rows(), 1);
  on_device_->apply(x.block(0, 1), y.block());
  device_->synchronize();
  const base::Stopwatch watch;
  for (int i = 0; i < kTimes; ++i) on_device_->apply(x.block(0, 1), y.block());
  device_->synchronize();
  return watch.seconds() / kTimes;
}

void Contest::precondition(double shift, const double* r, double* t) const {
  for (Index i = 0; i < rows(); ++i)
    t[i] = r[i] / solver::guarded(diagonal_[i] - shift, solver::kSmallestDenominator);
}

std::vector<Contestant>& contestants() {
  static std::vector<Contestant> all;
  return all;
}

namespace {

/// Rayleigh quotients, residuals and orthogonality of an answer, from the matrix itself.
void check(const Contest& contest, const Answer& answer, Score& score) {
  const Index rows = contest.rows();
  const int states = contest.states();
  if (std::ssize(answer.vectors) < rows * states) {
    score.failure = "too few states";
    return;
  }
  const double* x = answer.vectors.data();
  std::vector<double> y(rows * states);
  contest.matrix().apply({x, rows, states, rows}, {y.data(), rows, states, rows});
  for (int j = 0; j < states; ++j) {
    const double* xj = x + j * rows;
    const double* yj = y.data() + j * rows;
    const double value = dot(xj, yj, rows);
    double square = 0;
    for (Index i = 0; i < rows; ++i) square += (yj[i] - value * xj[i]) * (yj[i] - value * xj[i]);
    score.residual = std::max(score.residual, std::sqrt(square));
    score.values.push_back(value);
    for (int k = 0; k <= j; ++k)
      score.orthogonality = std::max(score.orthogonality,
                                     std::abs(dot(xj, x + k * rows, rows) - (j == k ? 1.0 : 0.0)));
  }
  std::ranges::sort(score.values);
  if (!(score.residual <= kSlack * contest.tolerance())) score.failure = "not converged";
  if (!(score.orthogonality <= 1e-8)) score.failure = "not orthonormal";
}

}  // namespace

Score run(const Contestant& contestant, const TestProblem& problem, int width, double tolerance,
          const base::Backend& host, const base::Backend* device) {
  const Contest contest(problem, width, tolerance, host, device);
  const base::Stopwatch watch;
  Answer answer;
  Score score;
  try {
    answer = contestant.solve(contest);
  } catch (const std::exception& error) {
    score.failure = error.what();
  }
  score.seconds = watch.seconds();
  score.product_seconds = contest.product_seconds();
  score.device_seconds_per_product = contest.device_seconds_per_product();
  score.products = contest.products();
  score.iterations = answer.iterations;
  score.restarts = answer.restarts;
  score.searched = answer.searched;
  if (score.failure.empty()) check(contest, answer, score);
  return score;
}

}  // namespace cisolve::bench
