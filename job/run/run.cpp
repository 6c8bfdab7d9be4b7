#include "job/run/run.hpp"

#include <memory>
#include <span>
#include <utility>

#include "base/ranks/collective_errors.hpp"
#include "job/products/worker_commands.hpp"
#include "job/run/select.hpp"
#include "job/run/stages.hpp"

namespace cisolve::job {
namespace {

/// Rank 0 has the states; the others execute its requests.
void conclude(const JobContext& job, SolvedJob solved) {
  if (!job.is_first()) return work_for_first_rank(job, std::move(solved));
  if (job.outcome.result && job.outcome.end == End::done) {
    job.listener.found(job.outcome);
    StateVectors vectors(job, solved.matrix->backend(), solved.host);
    std::unique_ptr<IndependentProblem> second = verify(job, std::move(solved), vectors);
    describe(job, std::move(second), vectors);
    settle(job);
  } else {
    solved.matrix->release();
  }
  broadcast_request(job.ranks, {WorkerCommand::end});
}

/// Finds the states of the final list of a selected space, and their perturbation.
void run_selected(const JobContext& job) {
  const std::unique_ptr<SelectedSpace> space = select(job);
  job.outcome.times.end("select_s");
  const Request listed = space->list_request();
  const JobContext last{listed, job.starting, job.listener, job.ranks, job.outcome};
  OpenJob opened = open(last);
  opened.given.start = space->take_start();
  conclude(last, solve(last, plan(last, std::move(opened))));
  if (!job.outcome.verification) return;
  space->perturb(job);
  job.outcome.times.end("perturb_s");
  if (!job.outcome.selection->sample_passed) job.outcome.end = End::verification_failed;
  job.listener.perturbed(job.outcome);
}

void broadcast_status(const JobContext& job) {
  double end = static_cast<double>(job.outcome.end);
  job.ranks.broadcast(std::span(&end, 1), 0);
  job.outcome.end = static_cast<End>(end);
}

}  // namespace

Outcome run(const Request& request, AsyncBackend& starting, Listener& listener,
            const base::Communicator& ranks) {
  Outcome outcome;
  outcome.ranks = ranks.size();
  const JobContext job{request, starting, listener, ranks, outcome};
  base::abort_peers_on_error(ranks, [&] {
    if (is_selected(request))
      run_selected(job);
    else
      conclude(job, solve(job, plan(job, open(job))));
    broadcast_status(job);
  });
  outcome.times.end("write_s");
  return outcome;
}

Outcome run(const Request& request, Listener& listener) {
  AsyncBackend starting(request, false);
  return run(request, starting, listener);
}

Outcome run(const Request& request) {
  Listener nobody;
  return run(request, nobody);
}

}  // namespace cisolve::job
