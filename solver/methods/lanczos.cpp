#include "solver/methods/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/stopwatch.hpp"
#include "solver/vectors/orthogonalise.hpp"

namespace cisolve::solver {
namespace {

constexpr double kMargin = 0.5;  // of the tolerance: the residuals are still to be recomputed

class Lanczos final : public CheckpointSource {
 public:
  explicit Lanczos(const Task& task)
      : task_(task), basis_(task.vectors.make(task.sizes.capacity, "the Lanczos basis")) {}

  LanczosResult run();
  Checkpoint checkpoint() override;

 private:
  int add_random(int count);
  void multiply_last_block();
  bool converged();
  void restart();
  bool report(bool last);

  int room() const { return basis_.columns() - size_ - last_; }
  ConstColumns all_blocks() const { return columns_of(basis_, 0, size_ + last_); }

  const Task& task_;
  const base::Stopwatch watch_;

  // A V = V T + Q B, where V are the first size_ columns, Q the last_ columns behind them, and
  // only the last B.columns() vectors of V are coupled to Q.
  base::MultiVector basis_;
  SmallMatrix projected_{0, 0};  // T
  SmallMatrix coupling_{0, 0};   // B
  int size_ = 0;
  int last_ = 0;
  EigenPairs ritz_{{}, SmallMatrix(0, 0)};
  std::vector<double> residuals_;
  std::uint64_t randoms_ = 0;
  LanczosResult result_{.states = {base::MultiVector(task_.backend(), 0, 0), {}}};
};

LanczosResult Lanczos::run() {
  add_random(std::min(task_.sizes.width, basis_.columns()));
  for (int cycle = 0;; ++cycle) {
    result_.states.iterations = cycle;
    while (last_ > 0 && room() >= last_) multiply_last_block();  // V = [V, Q], Q B = A Q - V T
    ritz_ = symmetric_eigen(projected_);                         // T s = theta s
    result_.largest_ritz = std::max(
        {result_.largest_ritz, std::abs(ritz_.values.front()), std::abs(ritz_.values.back())});
    const bool done = converged();  // r = |B s|
    const bool at_limit = cycle >= task_.options.max_iterations;
    const bool goes_on = report(at_limit && !done);
    result_.ended = !goes_on || (at_limit && !done);
    if (result_.ended || done) break;
    restart();  // V = V s
  }
  const int kept = std::min(task_.sizes.states + task_.sizes.guards, size_);
  const SmallMatrix s = columns_of(ritz_.vectors, 0, kept);
  base::MultiVector states = task_.vectors.make(kept, "the Lanczos states");
  task_.vectors.update(1, columns_of(basis_, 0, size_), s, 0, states);
  result_.states.basis = std::move(states);
  result_.states.layout = task_.vectors.layout();
  return std::move(result_);
}

/// New random vectors as the block Q, not coupled to V. Returns how many V leaves room for.
int Lanczos::add_random(int count) {
  const Columns q = columns_of(basis_, size_, count);
  task_.preparation.fill_random(base::mix(task_.options.seed, randoms_++), 0, q);
  last_ = orthogonalise(task_.vectors, columns_of(basis_, 0, size_), q).kept;
  return last_;
}

void Lanczos::multiply_last_block() {
  const int before = size_;
  const int added = last_;
  const Columns w = columns_of(basis_, before + added, added);
  task_.matrix.apply(columns_of(basis_, before, added), w);
  size_ += added;
  const Orthogonalised next = orthogonalise(task_.vectors, columns_of(basis_, 0, size_), w);
  SmallMatrix grown(size_, size_);
  for (int b = 0; b < before; ++b)
    for (int a = 0; a < before; ++a) grown(a, b) = projected_(a, b);
  for (int b = 0; b < added; ++b) {
    for (int a = 0; a < before; ++a)
      grown(a, before + b) = grown(before + b, a) = next.against(a, b);
    for (int a = 0; a < added; ++a)
      grown(before + a, before + b) =
          0.5 * (next.against(before + a, b) + next.against(before + b, a));
  }
  projected_ = std::move(grown);
  coupling_ = next.triangle;
  last_ = next.kept;
  // An invariant subspace: go on beside it.
  if (last_ == 0 && room() > 0) add_random(std::min(room(), task_.sizes.width));
}

bool Lanczos::converged() {
  const int states = std::min(task_.sizes.states, size_);
  residuals_.assign(task_.sizes.states, std::numeric_limits<double>::quiet_NaN());
  const int first = size_ - coupling_.columns();
  bool all = size_ >= task_.sizes.states;
  for (int j = 0; j < states; ++j) {
    double square = 0;
    for (int i = 0; i < coupling_.rows(); ++i) {
      double sum = 0;
      for (int k = 0; k < coupling_.columns(); ++k)
        sum += coupling_(i, k) * ritz_.vectors(first + k, j);
      square += sum * sum;
    }
    residuals_[j] = std::sqrt(square);
    const double rounding = 8 * std::numeric_limits<double>::epsilon() *
                            std::max(std::abs(ritz_.values.front()), std::abs(ritz_.values.back()));
    all = all && residuals_[j] <= std::max(kMargin * task_.options.tolerance, rounding);
  }
  return all || last_ == 0;
}

void Lanczos::restart() {
  const int old_size = size_;
  size_ = std::min({task_.sizes.kept, basis_.columns() - 2 * last_, old_size});
  task_.vectors.rotate(columns_of(basis_, 0, old_size), columns_of(ritz_.vectors, 0, size_));
  for (int j = 0; j < last_; ++j)  // ascending, so that no column is overwritten before it is moved
    task_.vectors.copy(columns_of(basis_, old_size + j, 1), columns_of(basis_, size_ + j, 1));
  projected_ = SmallMatrix(size_, size_);
  for (int j = 0; j < size_; ++j) projected_(j, j) = ritz_.values[j];
  coupling_ = SmallMatrix(0, 0);  // V^T A Q is taken anew with the next block
  ++result_.restarts;
}

bool Lanczos::report(bool last) {
  std::vector<double> energies(task_.sizes.states, std::numeric_limits<double>::quiet_NaN());
  std::copy_n(ritz_.values.begin(), std::min(task_.sizes.states, size_), energies.begin());
  const int cycle = result_.states.iterations;
  result_.history.push_back({cycle, size_, task_.matrix.products(), false, energies, residuals_});
  result_.stopped = !task_.goes_on({cycle, size_, task_.matrix.products(), false, energies,
                                    residuals_, watch_.seconds(), task_.matrix.seconds(),
                                    task_.matrix.bytes_per_second(), *this, last});
  return !result_.stopped;
}

/// The Ritz vectors and the block that carries their residuals.
Checkpoint Lanczos::checkpoint() {
  const int kept = std::min(task_.sizes.kept, size_);
  SmallMatrix s(size_ + last_, kept + last_);
  for (int j = 0; j < kept; ++j)
    for (int i = 0; i < size_; ++i) s(i, j) = ritz_.vectors(i, j);
  for (int j = 0; j < last_; ++j) s(size_ + j, kept + j) = 1;
  return {task_.vectors.product_on_host(all_blocks(), s),
          task_.vectors.layout(),
          {ritz_.values.begin(), ritz_.values.begin() + kept},
          result_.states.iterations,
          task_.matrix.products()};
}

}  // namespace

bool has_room_for_lanczos(const Sizes& sizes, Index dimension) {
  return sizes.capacity >= std::min<Index>(dimension + sizes.width, sizes.states + 2 * sizes.width);
}

LanczosResult lanczos(const Task& task) { return Lanczos(task).run(); }

}  // namespace cisolve::solver
