#include "job/products/worker_commands.hpp"

#include "base/ranks/collective_errors.hpp"

namespace cisolve::job {

WorkerRequest broadcast_request(const base::Communicator& ranks, const WorkerRequest& by_first) {
  double words[] = {static_cast<double>(by_first.command), static_cast<double>(by_first.count),
                    by_first.max_fraction, by_first.on_host ? 1.0 : 0.0};
  ranks.broadcast(std::span<double>(words), 0);
  return {static_cast<WorkerCommand>(words[0]), static_cast<base::Index>(words[1]), words[2],
          words[3] != 0};
}

void run_worker_loop(const base::Communicator& ranks,
                     const std::function<void(const WorkerRequest&)>& execute) {
  for (WorkerRequest asked = broadcast_request(ranks, {}); asked.command != WorkerCommand::end;
       asked = broadcast_request(ranks, {})) {
    try {
      execute(asked);
    } catch (const base::CollectiveError&) {
      continue;  // thrown on all ranks; rank 0 handles it
    }
  }
}

}  // namespace cisolve::job
