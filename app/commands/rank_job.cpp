#include "app/commands/rank_job.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "app/commands/rank_devices.hpp"
#include "app/commands/rank_threads.hpp"
#include "app/runs/checkpoint_writer.hpp"
#include "app/runs/input_identity.hpp"
#include "app/runs/interruption.hpp"
#include "app/runs/job_folder.hpp"
#include "base/budget.hpp"
#include "base/ranks/collective_errors.hpp"
#include "job/run/run.hpp"

namespace cisolve::app {
namespace {

using base::ErrorKind;
using base::fail;

bool has_thread_setting() { return std::getenv("OMP_NUM_THREADS") != nullptr; }

/// A rank bound to some cores uses all of these; otherwise the node's are divided.
int threads_of_rank(int ranks_on_node) {
  const int all = base::Backend::openmp().threads();
  const bool is_bound = all < static_cast<int>(std::thread::hardware_concurrency());
  return is_bound || has_thread_setting() ? all : std::max(1, all / ranks_on_node);
}

/// Chooses one device for each rank, or the host for all. A device named by number (cuda:1) is used
/// unchanged, even if all ranks of a node share it.
void choose_backend(const Invocation& call, Configuration& configuration) {
  const base::Communicator& ranks = *call.ranks;
  const bool is_required = configuration.request.backend == base::BackendKind::cuda;
  // Backends that differ between ranks are reported later.
  if (ranks.size() == 1 ||
      !ranks.all_true(is_required || configuration.request.backend.is_automatic()))
    return;
  const RankDevices devices =
      devices_of_ranks(ranks, visible_devices(call.ranks_on_node, call.place_on_node));
  base::run_collectively(ranks, [&] {
    if (!devices.mine && is_required)
      fail(ErrorKind::backend, configuration.request.origin, ": backend is cuda, but ",
           devices.lack,
           "; expected a device for each rank: start as many ranks as devices, or set backend to "
           "auto");
  });
  if (!devices.mine && devices.are_any && ranks.rank() == 0)
    spdlog::warn("all ranks use the host: {}", devices.lack);
  configuration.request.device = devices.mine.value_or(0);
  if (!devices.mine) configuration.request.backend = base::BackendKind::openmp;
}

void take_node_portion(const Invocation& call, Configuration& configuration) {
  if (call.ranks->size() == 1) return;
  if (!configuration.request.threads &&
      configuration.request.backend != base::BackendKind::reference)
    configuration.request.threads = threads_of_rank(call.ranks_on_node);
  if (!configuration.request.memory)
    configuration.request.memory = base::default_host_limit() / call.ranks_on_node;
}

/// Warns once, for all ranks, if a rank is bound to too few cores for its threads.
void warn_of_binding(const Invocation& call, const Configuration& configuration) {
  if (call.ranks->size() == 1) return;
  const bool takes_threads = configuration.request.backend != base::BackendKind::reference &&
                             !has_thread_setting() && !configuration.request.threads;
  const std::string warning =
      binding_warning(*call.ranks, takes_threads ? cores_of_rank(call.ranks_on_node) : RankCores{});
  if (!warning.empty() && call.ranks->rank() == 0) spdlog::warn("{}", warning);
}

/// Broadcasts rank 0's text.
std::string broadcast_text(const base::Communicator& ranks, std::string text) {
  double size = static_cast<double>(text.size());
  ranks.broadcast(std::span(&size, 1), 0);
  text.resize(static_cast<std::size_t>(size));
  ranks.broadcast(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

/// Listener of the other ranks: writes nothing, but sends its part of each checkpoint.
class WorkerListener final : public job::Listener {
 public:
  explicit WorkerListener(const Configuration& configuration)
      : folder_(configuration.output.directory),
        writer_(folder_, {}, configuration.output.checkpoint),
        keeps_checkpoints_(keeps_checkpoints(configuration)) {}

  solver::Observer* observer() override { return keeps_checkpoints_ ? &writer_ : nullptr; }
  void solved(const job::Outcome& /*found*/) override { Interruption::refuse(); }

 private:
  CheckpointFolder folder_;
  CheckpointWriter writer_;
  bool keeps_checkpoints_;
};

}  // namespace

Configuration configuration_for_ranks(const Invocation& call,
                                      const std::function<Configuration()>& read) {
  Configuration configuration;
  base::run_collectively(*call.ranks, [&] { configuration = read(); });
  warn_of_binding(call, configuration);
  base::run_collectively(*call.ranks, [&] { take_node_portion(call, configuration); });
  choose_backend(call, configuration);
  return configuration;
}

void require_same_input(const base::Communicator& ranks, const Configuration& configuration) {
  if (ranks.size() == 1) return;
  Configuration mine = configuration;
  mine.request.threads.reset();  // may differ between ranks, as memory
  mine.request.memory.reset();
  std::string identity;
  base::run_collectively(ranks, [&] { identity = configuration_identity(mine); });
  const std::string first = broadcast_text(ranks, identity);
  base::run_collectively(ranks, [&] {
    if (identity != first)
      fail(ErrorKind::bad_input,
           "its input differs from that of rank 0: ", differences(first, identity),
           "; expected the same configuration, files and version of ci-solve on all nodes");
  });
}

CommandOutcome run_worker(const Configuration& configuration, job::AsyncBackend& backend,
                          const base::Communicator& ranks) {
  WorkerListener listener(configuration);
  return {exit_code(job::run(configuration.request, backend, listener, ranks).end), {}};
}

}  // namespace cisolve::app
