#pragma once

#include <iosfwd>
#include <vector>

#include "app/commands/invocation.hpp"
#include "app/json/json.hpp"
#include "job/ranking/rank_plans.hpp"

// What check says of a job on many ranks.
namespace cisolve::app {

/// What one of those ranks has; `here` is what there is on this machine. Throws Fault::usage for a
/// card that is not known.
job::Resources resources_of(const PlannedRanks& planned, const job::Resources& here,
                            const job::Request& request);

/// All plans for these, and what there is known of the matrix.
struct RankPlans {
  const PlannedRanks& planned;
  job::Resources resources;
  job::Counts counts;
  std::vector<job::Plan> plans;
};

void write_rank_plans(std::ostream& out, const RankPlans& found);
Json rank_plans_record(const RankPlans& found);

}  // namespace cisolve::app
