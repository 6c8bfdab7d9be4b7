#include "job/ranking/whole_job.hpp"

#include <algorithm>

namespace cisolve::job {
namespace {

// Cost of the work between products.
constexpr double kVectorsRead = 150;  // vectors read in an iteration, over all rows
constexpr double kBytesPerSecond =
    5e9;  // rate of one of kVectorThreads threads, which saturate the memory
constexpr int kVectorThreads = 8;
constexpr double kDeviceBytesPerSecond = 2e12;

// Verification and description: a second product in a sample of rows, and some sums.
constexpr double kVerified = 1.15;

double bytes_of_vectors(double rows) {
  return kAssumedProducts * kVectorsRead * rows * sizeof(double);
}

/// Factor relative to the lowest states: interior states converge slowly, and a full search takes
/// more products.
double times_more_products(const Request& request) {
  constexpr double kMore = 8;
  const Request::Solver& solver = request.solver;
  const bool lowest_alone =
      !solver.near && solver.follow.empty() && solver.search != solver::SearchEffort::full;
  return lowest_alone ? 1 : kMore;
}

}  // namespace

double blocks_of_states(const Request& request) {
  const double states = static_cast<double>(request.solver.states) / vectors_at_once(request);
  return times_more_products(request) * std::max(1.0, states);
}

double seconds_of_vectors(double rows, int threads) {
  return bytes_of_vectors(rows) / (kBytesPerSecond * std::min(threads, kVectorThreads));
}

std::optional<double> predicted_seconds(const Request& request, const MatrixEstimate& counts,
                                        const Resources& resources, const Plan& plan) {
  const Request::Solver& solver = request.solver;
  const std::optional<double> whole = plan.whole_seconds();
  if (!whole || solver.states == 0 || solver.method == solver::Method::dense) return std::nullopt;
  const double making = *plan.setup_seconds;
  const double rows = plan.uses_parity_basis ? counts.rows / 2 : counts.rows;
  const double between = plan.on_device ? bytes_of_vectors(rows) / kDeviceBytesPerSecond
                                        : seconds_of_vectors(rows, resources.threads);
  return making + kVerified * blocks_of_states(request) * (*whole - making + between);
}

}  // namespace cisolve::job
