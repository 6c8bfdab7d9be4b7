#include <algorithm>

#include "base/array.hpp"
#include "base/stopwatch.hpp"
#include "bench/products/timed_backend.hpp"

namespace cisolve::bench {
namespace {

class TimedHost final : public TimedBackend {
 public:
  TimedHost(const base::Backend& backend, Index rate_bytes)
      : backend_(backend),
        size_(std::min(rate_bytes, backend.memory().left() / 4) / Index{sizeof(double)}),
        source_(backend, size_, "the source of a measured copy"),
        target_(backend, size_, "the target of a measured copy") {
#pragma omp parallel for schedule(static) num_threads(backend_.threads())
    for (Index i = 0; i < size_; ++i) source_[i] = target_[i] = 1;
  }

  const base::Backend& backend() const override { return backend_; }

  double seconds(const std::function<void()>& work) const override {
    const base::Stopwatch watch;
    work();
    return watch.seconds();
  }

  void settle(Index /*matrix_bytes*/, const std::function<void()>& product) const override {
    product();
  }

  double shortest_run() const override { return 1e-4; }

  Rates rates() const override {
    const auto bytes = static_cast<double>(size_) * sizeof(double);
    const double copy = seconds([&] {
#pragma omp parallel for schedule(static) num_threads(backend_.threads())
      for (Index i = 0; i < size_; ++i) target_[i] = source_[i];
    });
    double sum = 0;
    const double read = seconds([&] {
#pragma omp parallel for simd schedule(static) num_threads(backend_.threads()) reduction(+ : sum)
      for (Index i = 0; i < size_; ++i) sum += source_[i];
    });
    if (sum != static_cast<double>(size_))
      return {};  // uses the sum, so that it is not optimised away
    return {2 * bytes / copy, bytes / read};
  }

 private:
  base::Backend backend_;
  Index size_;
  base::Array<double> source_;
  mutable base::Array<double> target_;
};

}  // namespace

std::unique_ptr<TimedBackend> timed_host(const base::Backend& backend, Index rate_bytes) {
  return std::make_unique<TimedHost>(backend, rate_bytes);
}

}  // namespace cisolve::bench
