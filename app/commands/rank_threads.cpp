#include "app/commands/rank_threads.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <thread>

#include "base/text.hpp"

namespace cisolve::app {
namespace {

/// Cores that a process may use; 0 if unknown.
int cores_of(pid_t process) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(process, sizeof(cores), &cores) != 0) return 0;
  return CPU_COUNT(&cores);
}

std::string count_of_cores(double count) {
  return base::concat(count, count == 1 ? " core" : " cores");
}

}  // namespace

RankCores cores_of_rank(int ranks_on_node) {
  constexpr pid_t kMyself = 0;
  const int all = static_cast<int>(std::thread::hardware_concurrency());
  const int of_launcher = cores_of(::getppid());
  const int bound = cores_of(kMyself);
  return {.bound = bound > 0 ? bound : all,
          .node_portion = std::max(1, (of_launcher > 0 ? of_launcher : all) / ranks_on_node)};
}

std::string binding_warning(const base::Communicator& ranks, const RankCores& cores) {
  const auto first = static_cast<int>(ranks.minimum(cores.are_few() ? ranks.rank() : ranks.size()));
  if (first == ranks.size()) return "";
  std::array<double, 2> counts{static_cast<double>(cores.bound),
                               static_cast<double>(cores.node_portion)};
  ranks.broadcast(std::span<double>(counts), first);
  return base::concat("rank ", first, " is bound to ", count_of_cores(counts[0]),
                      " by its launcher and uses one thread per core, but its node has ",
                      count_of_cores(counts[1]),
                      " per rank; start with 'mpirun --map-by ppr:N:node:PE=", counts[1],
                      " --bind-to core' or 'srun --cpus-per-task=", counts[1],
                      "', or without binding ('--bind-to none')");
}

}  // namespace cisolve::app
