#include "job/products/timing.hpp"

#include <ctime>

#include <algorithm>
#include <cmath>

#include "base/stopwatch.hpp"

namespace cisolve::job {
namespace {

// Processor time of all threads of this process, in seconds.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Number of products in a run that the clock resolves.
Index products_per_run(const base::LinearOperator& matrix, const base::Backend& backend,
                       base::ConstBlock x, base::Block y) {
  constexpr double enough = 2e-4;
  constexpr Index most = 1000;
  const base::Stopwatch watch;
  matrix.apply(x, y);
  backend.synchronize();
  const double once = std::max(watch.seconds(), enough / most);
  return once >= enough ? 1 : static_cast<Index>(std::ceil(enough / once));
}

}  // namespace

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

void Samples::add(double seconds, double cpu_seconds) {
  seconds_.push_back(seconds);
  cpu_seconds_.push_back(cpu_seconds);
}

Times Samples::summary() const {
  if (seconds_.empty()) return {};
  std::vector<double> sorted = seconds_;
  std::ranges::sort(sorted);
  std::vector<double> cpu = cpu_seconds_;
  std::ranges::sort(cpu);
  return {.median = quantile(sorted, 0.5),
          .fastest = sorted.front(),
          .spread = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2,
          .cpu = quantile(cpu, 0.5)};
}

void time_product(const base::LinearOperator& matrix, const base::Backend& backend,
                  base::ConstBlock x, base::Block y, Burst burst, Samples& samples) {
  for (int i = 1; i < burst.dropped; ++i) matrix.apply(x, y);
  backend.synchronize();
  const Index products = products_per_run(matrix, backend, x, y);
  for (Index run = 0; run < burst.runs; ++run) {
    const double cpu = cpu_seconds();
    const base::Stopwatch watch;
    for (Index i = 0; i < products; ++i) matrix.apply(x, y);
    backend.synchronize();
    const auto each = static_cast<double>(products);
    const double seconds = watch.seconds() / each;
    samples.add(seconds, (cpu_seconds() - cpu) / each);
  }
}

}  // namespace cisolve::job
