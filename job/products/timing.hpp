#pragma once

#include <vector>

#include "base/backend.hpp"
#include "base/operator.hpp"
#include "job/results/job_results.hpp"

namespace cisolve::job {

/// The value below which a fraction `fraction` of the sorted values lies, linearly interpolated.
double quantile(const std::vector<double>& sorted, double share);

/// The times of single products.
class Samples {
 public:
  void add(double seconds, double cpu_seconds);
  Index size() const { return std::ssize(seconds_); }
  const std::vector<double>& seconds() const { return seconds_; }
  const std::vector<double>& cpu_seconds() const { return cpu_seconds_; }
  Times summary() const;

 private:
  std::vector<double> seconds_;
  std::vector<double> cpu_seconds_;
};

/// Number of runs of a product: some are dropped, and a short one is repeated within a run until
/// the clock resolves it.
struct Burst {
  int dropped = 1;
  Index runs = 1;
};

/// Adds `burst.runs` samples of y = A x.
void time_product(const base::LinearOperator& matrix, const base::Backend& backend,
                  base::ConstBlock x, base::Block y, Burst burst, Samples& samples);

}  // namespace cisolve::job
