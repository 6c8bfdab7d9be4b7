#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/ranking/rank_plans.hpp"

namespace cisolve::job {

/// What was done instead of what, and why.
struct Fallback {
  std::string from;
  std::string to;
  std::string reason;
};

/// A job's way down its plans. It begins with the first that may fit.
class PlanFallback {
 public:
  explicit PlanFallback(std::vector<Plan> plans)
      : plans_(std::move(plans)), place_(first_fitting(plans_)) {}

  const Plan& plan() const { return plans_[place_]; }

  /// What was passed over because it is known not to fit, and might be sooner done if it did; none
  /// where no such plan stands before the one that was taken.
  std::optional<Fallback> passed_over() const;

  /// To what is done instead, while nothing else of the job is left on the device and `free_bytes`
  /// are free there: the next plan that may fit in what there really is; the same once more where
  /// its budget was beyond that; the host. There the budget is what there is, so that it is the
  /// next plan that may fit. False where none is left of which it is not known that it does not.
  bool take_next(Index free_bytes);

  /// To the next plan there that has codes in another format; false where none fits.
  bool take_next_coded();

 private:
  bool repeat_within(Index budget);
  std::size_t next_fitting() const;

  std::vector<Plan> plans_;
  std::size_t place_;
};

}  // namespace cisolve::job
