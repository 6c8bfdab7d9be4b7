#include "job/plan/small_jobs.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "job/plan/computing.hpp"
#include "job/plan/prediction.hpp"

namespace cisolve::job {
namespace {

constexpr double kStart = 0.25;  // seconds of a start that a small job takes at most
constexpr Index kRoom = 4;       // times its memory, so that it will not need a device for that

// Of the work between products, by one thread of those that keep the memory busy.
constexpr double kVectorsRead = 150;  // in an iteration, of all rows
constexpr double kBytesPerSecond = 5e9;
constexpr int kMemoryThreads = 8;

// Of an element that is computed by one thread, where none is known to be dearer.
constexpr double kElement = 1e-8;

/// Of products and what is made for them; where nothing is known, of a matrix without zeros.
double seconds_of_products(const Counts& counts, const Resources& resources, const Plan& plan) {
  const double all = counts.rows * counts.rows;
  return plan.whole_seconds().value_or(kProducts * kElement * all / resources.threads);
}

double seconds_of_vectors(const Counts& counts, const Resources& resources) {
  const double bytes = kVectorsRead * counts.rows * sizeof(double);
  return bytes / (kBytesPerSecond * std::min(resources.threads, kMemoryThreads));
}

/// Than the lowest states take: those in between are found slowly, and others are looked for.
double times_more_products(const Request& request) {
  constexpr double kMore = 8;
  const Request::Solver& solver = request.solver;
  const bool lowest_alone = !solver.near && solver.follow.empty() && solver.search != "full";
  return lowest_alone ? 1 : kMore;
}

}  // namespace

bool may_do_without_device(const Request& request) {
  const bool only_solves = request.solver.states > 0 && !request.product.wanted;
  return request.backend == "auto" && only_solves && request.device_memory == sparse::kAutomatic;
}

bool may_wait_for_a_device(const Request& request) {
  return base::cuda::is_built() && may_do_without_device(request);
}

bool is_done_before_a_start(const Request& request, const Counts& counts,
                            const Resources& resources, const Plan& on_host) {
  if (!may_do_without_device(request) || counts.rows == 0) return false;
  if (on_host.demand.vectors > on_host.limit / kRoom ||
      on_host.demand.matrix > on_host.limit / kRoom)
    return false;
  const double blocks =
      times_more_products(request) *
      std::max(1.0, static_cast<double>(request.solver.states) / vectors_at_once(request));
  const double all = seconds_of_products(counts, resources, on_host) +
                     kProducts * seconds_of_vectors(counts, resources);
  return blocks * all < kStart;
}

void say_why_small(Plan& plan) {
  plan.reason = "it is done before a device has started";
  if (plan.whole_seconds()) plan.reason += ": " + times_of(plan);
}

std::vector<Plan> rank_plans_before_a_start(const Request& request, const Counts& counts,
                                            const Resources& resources) {
  std::vector<Plan> plans = rank_plans(request, counts, resources);
  const auto best = std::ranges::find(plans, false, &Plan::on_device);
  if (best == plans.begin() || best == plans.end() || resources.network.ranks > 1) return plans;
  if (!is_done_before_a_start(request, counts, resources, *best)) return plans;
  say_why_small(*best);
  std::ranges::rotate(plans, best);
  return plans;
}

}  // namespace cisolve::job
