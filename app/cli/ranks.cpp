#include "app/cli/ranks.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "app/report/exit_code.hpp"
#include "base/ranks/collective_errors.hpp"
#include "io/files/unfinished.hpp"

namespace cisolve::app {
namespace {

/// Environment variables with the number of processes and the rank, by launcher.
struct LauncherVariables {
  const char* size;
  const char* rank;
};
constexpr LauncherVariables kLaunchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                            {"PMI_SIZE", "PMI_RANK"},
                                            {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                            {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

int number_in(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

/// Ends the process after a rank was lost: collective operations can no longer complete, so MPI is
/// not finalised, and the launcher ends the remaining ranks.
[[noreturn]] void end_after_lost_rank(int rank, bool reports) {
  constexpr auto kUntilReported = std::chrono::seconds(1);
  if (reports)
    spdlog::error(
        "rank {} does not respond: it hangs, was stopped or has ended. The job ends; "
        "'ci-solve resume' continues from its last checkpoint",
        rank);
  else
    std::this_thread::sleep_for(kUntilReported);
  io::remove_unfinished();
  std::_Exit(static_cast<int>(ExitCode::resources));
}

}  // namespace

Launch launch() {
  for (const LauncherVariables& names : kLaunchers)
    if (const int size = number_in(names.size, 1); size > 1)
      return {size, number_in(names.rank, 0)};
  return {};
}

Ranks::Ranks() : all_(std::make_unique<base::OneProcess>()) {
  const int started = launch().size;
  if (started == 1) return;
  setenv("NCCL_NVLS_ENABLE", "0", 0);  // multicast serves no operation that is used here
  mpi_ = std::make_unique<dist::Mpi>();
  if (mpi_->size() != started)
    base::fail(base::ErrorKind::usage, started, " processes were started, but ",
               dist::Mpi::library(), ", with which this program was built, sees ", mpi_->size(),
               "; start it with the mpirun of that library, or with srun and the matching --mpi=");
  all_ = mpi_->ranks();
  watch_ = mpi_->watch(end_after_lost_rank);
}

bool Ranks::is_collective(const base::Error& error) {
  return dynamic_cast<const base::CollectiveError*>(&error) != nullptr;
}

bool Ranks::reports(const base::Error& error) const {
  if (is_collective(error)) return all_->rank() == 0;
  return dynamic_cast<const base::PeerFailed*>(&error) == nullptr;
}

std::string Ranks::named(const std::string& message) const {
  const bool is_named = all_->size() == 1 || message.starts_with("rank ");
  return is_named ? message : base::concat("rank ", all_->rank(), ": ", message);
}

void Ranks::abandon_peers() {
  all_ = std::make_unique<base::OneProcess>();
  watch_.reset();
  [[maybe_unused]] const dist::Mpi* left = mpi_.release();
}

}  // namespace cisolve::app
