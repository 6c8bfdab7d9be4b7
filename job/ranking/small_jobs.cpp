#include "job/ranking/small_jobs.hpp"

#include <algorithm>

#include "job/ranking/rank_plans.hpp"
#include "job/ranking/whole_job.hpp"

namespace cisolve::job {
namespace {

constexpr double kStart = 0.25;     // seconds to start a device
constexpr Index kMemoryFactor = 4;  // times the memory of a small job must be available

// Seconds per element computed by one thread, if its cost is unknown.
constexpr double kElement = 1e-8;

/// Seconds of products and setup; of a full matrix if nothing is known.
double seconds_of_products(const MatrixEstimate& counts, const Resources& resources,
                           const Plan& plan) {
  const double all = counts.rows * counts.rows;
  return plan.whole_seconds().value_or(kAssumedProducts * kElement * all / resources.threads);
}

}  // namespace

bool takes_longer_than_a_start(const Request& request, double rows, int threads) {
  return blocks_of_states(request) * seconds_of_vectors(rows, threads) >= kStart;
}

bool is_done_before_a_start(const Request& request, const MatrixEstimate& counts,
                            const Resources& resources, const Plan& on_host) {
  if (!may_do_without_device(request) || counts.rows == 0) return false;
  if (on_host.demand.vectors > on_host.limit / kMemoryFactor ||
      on_host.demand.matrix > on_host.limit / kMemoryFactor)
    return false;
  const double each = seconds_of_products(counts, resources, on_host) +
                      seconds_of_vectors(counts.rows, resources.threads);
  return blocks_of_states(request) * each < kStart;
}

std::vector<Plan> rank_plans_before_a_start(const Request& request, const MatrixEstimate& counts,
                                            const Resources& resources) {
  std::vector<Plan> plans = rank_plans(request, counts, resources);
  const auto best = std::ranges::find(plans, false, &Plan::on_device);
  if (best == plans.begin() || best == plans.end() || resources.network.ranks > 1) return plans;
  if (!is_done_before_a_start(request, counts, resources, *best)) return plans;
  best->reason.append("; ").append(kDoneBeforeAStart);
  const std::string times = best->whole_seconds() ? times_of(*best) : "";
  if (best->reason.find(times) == std::string::npos) best->reason.append(", ").append(times);
  std::ranges::rotate(plans, best);
  return plans;
}

}  // namespace cisolve::job
