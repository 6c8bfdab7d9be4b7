#pragma once

#include <iosfwd>
#include <vector>

#include "app/commands/invocation.hpp"
#include "app/json/json.hpp"
#include "job/ranking/rank_plans.hpp"

// Plans of `ci-solve check` for a job on many ranks.
namespace cisolve::app {

/// Resources of one planned rank; `this_machine` are those of this machine. Throws ErrorKind::usage
/// for an unknown GPU name.
job::Resources resources_of(const PlannedRanks& planned, const job::Resources& this_machine,
                            const job::Request& request);

/// The plans for these resources and the estimated size of the matrix.
struct PlansOnRanks {
  const PlannedRanks& planned;
  job::Resources resources;
  job::MatrixEstimate counts;
  std::vector<job::Plan> plans;
};

void write_plans_on_ranks(std::ostream& out, const PlansOnRanks& found);
Json plans_on_ranks_record(const PlansOnRanks& found);

}  // namespace cisolve::app
