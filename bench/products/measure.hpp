#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/products/kernel.hpp"
#include "bench/products/place.hpp"
#include "sparse/rows/profile.hpp"

namespace cisolve::bench {

/// The quartiles of what was measured.
struct Spread {
  double lower = 0;
  double median = 0;
  double upper = 0;
};
Spread spread_of(std::vector<double> samples);

/// What one kernel did with one matrix and so many vectors.
struct Outcome {
  std::string kernel;  // with its threads
  base::BackendKind place = base::BackendKind::openmp;
  int threads = 0;
  Precision precision = Precision::twice;
  int vectors = 1;
  std::string skipped = {};  // why it was not measured; empty where it was

  Spread seconds = {};  // of one product
  int runs = 0;
  double conversion_seconds = 0;  // from the compressed rows of the workload
  Index bytes = 0;                // of the matrix as held
  double error = 0;               // the largest of a row, against the sum of its |a||x|
  bool right = false;

  double gflops = 0;      // 2 non-zeros a vector over the time
  double gbytes = 0;      // 12 bytes a non-zero over the time, so that kernels compare
  double own_gbytes = 0;  // the bytes of the matrix as held and of the vectors over the time
  double of_copy = 0;     // gbytes as a share of the copy rate of the same run
};

/// The rates of a place, taken between the products.
struct PlaceRates {
  base::BackendKind place;
  std::string description;
  Spread copy;  // bytes a second
  Spread read;
};

struct MatrixOutcome {
  std::string name;
  sparse::MatrixShape shape;
  Index nonzeros = 0;
  Index longest_row = 0;
  std::vector<sparse::RowProfile> profiles = {};  // for each number of vectors
  std::vector<PlaceRates> rates = {};
  std::vector<Outcome> outcomes = {};
};

struct MeasureOptions {
  std::vector<int> vectors{1};
  int repeat = 30;
  Index rate_bytes = Index{1} << 29;  // of each array in a measured copy; beyond any cache
  std::function<void(const std::string&)> report = {};  // what goes on, for people
};

/// Products and rates on the host and, where there is one, on a device.
class Measurer {
 public:
  explicit Measurer(MeasureOptions options);
  ~Measurer();

  /// The host that prepares matrices.
  const base::Backend& host() const;

  /// Runs the kernels in turn, round after round: each round gives every kernel one run. Where not
  /// all fit into memory together, they run in batches. A kernel that cannot run says why.
  MatrixOutcome measure(const Workload& matrix, const std::vector<Kernel>& kernels);

 private:
  class Session;
  Place& place_of(base::BackendKind kind);

  MeasureOptions options_;
  std::unique_ptr<Place> host_;
  std::unique_ptr<Place> device_;
};

}  // namespace cisolve::bench
