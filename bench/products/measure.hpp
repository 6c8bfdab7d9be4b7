#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/products/kernel.hpp"
#include "bench/products/timed_backend.hpp"
#include "sparse/rows/profile.hpp"

namespace cisolve::bench {

/// Quartiles of the samples.
struct Spread {
  double lower = 0;
  double median = 0;
  double upper = 0;
};
Spread spread_of(std::vector<double> samples);

/// Result of one kernel with one matrix and number of vectors.
struct KernelResult {
  std::string kernel;  // name of the kernel with its threads
  base::BackendKind backend = base::BackendKind::openmp;
  int threads = 0;
  Precision precision = Precision::double_precision;
  int vectors = 1;
  std::string skipped = {};  // the reason if it was not measured, otherwise empty

  Spread seconds = {};  // time of one product
  int runs = 0;
  double conversion_seconds = 0;  // time to convert the workload's CSR form
  Index bytes = 0;                // size of the matrix as stored
  double error = 0;               // the largest of a row, against the sum of its |a||x|
  bool right = false;

  double gflops = 0;            // 2 x non-zeros x vectors / time
  double gbytes = 0;            // 12 bytes per non-zero / time, for comparison of kernels
  double own_gbytes = 0;        // bytes of the matrix as held and of the vectors / time
  double fraction_of_copy = 0;  // gbytes relative to the copy rate of the same run
};

/// Rates of a backend, sampled between the products.
struct BackendRates {
  base::BackendKind backend;
  std::string description;
  Spread copy;  // bytes a second
  Spread read;
};

struct MatrixResults {
  std::string name;
  sparse::MatrixShape shape;
  Index nonzeros = 0;
  Index longest_row = 0;
  std::vector<sparse::RowProfile> profiles = {};  // one profile per number of vectors
  std::vector<BackendRates> rates = {};
  std::vector<KernelResult> outcomes = {};
};

struct MeasureOptions {
  std::vector<int> vectors{1};
  int repeat = 30;
  Index rate_bytes = Index{1} << 29;  // size of each array in the measured copy; beyond any cache
  std::function<void(const std::string&)> report = {};  // receives messages on progress
};

/// Products and rates on the host and, if there is one, on a device.
class Measurer {
 public:
  explicit Measurer(MeasureOptions options);
  ~Measurer();

  /// The host backend that prepares matrices.
  const base::Backend& host() const;

  /// Runs the kernels round-robin, each once per round; in batches if not all fit into memory
  /// together. A kernel that cannot run reports the reason.
  MatrixResults measure(const Workload& matrix, const std::vector<Kernel>& kernels);

 private:
  class Session;
  TimedBackend& timed_backend(base::BackendKind kind);

  MeasureOptions options_;
  std::unique_ptr<TimedBackend> host_;
  std::unique_ptr<TimedBackend> device_;
};

}  // namespace cisolve::bench
