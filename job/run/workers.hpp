#pragma once

#include "job/plan/plan.hpp"
#include "job/run/job_context.hpp"

namespace cisolve::job {

/// Whether several ranks work on a job together; products are measured in one process.
inline bool is_shared(const JobContext& job) {
  const bool measures = !job.solves() || job.request.product.wanted;
  return job.ranks.size() > 1 && !measures;
}

/// The network for which plans are made; ranks of hosts are assumed to share a node.
inline Network network_of_workers(const JobContext& job, const base::Backend& backend) {
  const int ranks = is_shared(job) ? job.ranks.size() : 1;
  if (!backend.is_host()) return Network::of_devices(ranks);
  return {.ranks = ranks, .on_node = ranks};
}

}  // namespace cisolve::job
