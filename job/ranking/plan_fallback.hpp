#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/ranking/rank_plans.hpp"
#include "job/results/job_results.hpp"

namespace cisolve::job {

/// The ranked plans of a job and the current one, at first the first that may fit.
class PlanFallback {
 public:
  explicit PlanFallback(std::vector<Plan> plans)
      : plans_(std::move(plans)), place_(first_fitting(plans_)) {}

  const Plan& plan() const { return plans_[place_]; }

  /// An earlier plan that is known not to fit, and might be faster if it did; none if there is no
  /// such plan before the current one.
  std::optional<Fallback> passed_over() const;

  /// Takes the next option; nothing else of the job may be on the device, which has `free_bytes`
  /// free. In this order: the next device plan that fits in the free memory; the same plan once
  /// more if its budget was clearly larger than that; the host, whose budget stays. Returns false
  /// if none may fit.
  bool take_next(Index free_bytes);

  /// Takes the next plan on the same backend with codes in another format; false if none fits.
  bool take_next_coded();

 private:
  bool repeat_within(Index budget);
  std::size_t next_fitting() const;

  std::vector<Plan> plans_;
  std::size_t place_;
};

}  // namespace cisolve::job
