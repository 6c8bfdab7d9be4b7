#include "base/ranks/collective_errors.hpp"
#include "base/text.hpp"
#include "job/run/orbits_on_host.hpp"
#include "job/run/stages.hpp"
#include "job/run/workers.hpp"

// Planning of a job: product methods are ranked, equally on all ranks.
namespace cisolve::job {
namespace {

// Makes plans equal on all ranks, even if one lacked the memory to analyse its rows, or would
// compute them by another algorithm.
void forget_what_some_lack(const base::Communicator& ranks, MatrixEstimate& counts,
                           ProductDrafts& computed) {
  const bool by_blocks = counts.work && counts.work->by_blocks;
  if (!ranks.all_same(by_blocks ? 1 : 0)) counts.work.reset();
  if (!ranks.all_true(counts.profile.has_value())) counts.profile.reset();
  if (!ranks.all_true(counts.work.has_value())) counts.work.reset();
  if (!ranks.all_true(counts.factors.has_value())) counts.factors.reset();
  if (!counts.work) computed.elements.reset();
  if (!counts.factors) computed.factors.reset();
  counts.nonzeros = ranks.maximum(counts.nonzeros);
}

/// All ranks, or the first alone.
const base::Communicator& workers_of(const JobContext& job) {
  if (is_shared(job)) return job.ranks;
  if (job.ranks.size() > 1)
    job.note({base::concat(job.ranks.size(), " ranks"), "one rank",
              "products are timed in one process"});
  return solver::kOneProcess;
}

/// The problem as the solver sees it.
std::unique_ptr<const SolverAdapter> view_of(const JobContext& job, OpenJob& problem) {
  require_solvable(*problem.rows, job.request, problem.host);
  auto view = std::make_unique<const SolverAdapter>(
      job.request, determinant_problem_of(problem.rows), problem.rows.sites());
  if (view->basis() != nullptr) {
    take_functions(job.request, *view->basis(), problem.given);
    job.listener.chose_spin(*view->basis());
  }
  return view;
}

}  // namespace

PlannedJob plan(const JobContext& job, OpenJob problem) {
  const Resources resources = Resources::of(problem.backend, job.request.machine_factors)
                                  .agreed(job.ranks)
                                  .among(network_of_workers(job, problem.backend));
  forget_what_some_lack(job.ranks, problem.counts, problem.computed);
  std::optional<PlanFallback> plans;
  std::unique_ptr<const SolverAdapter> view;
  base::run_collectively(job.ranks, [&] {
    std::vector<Fallback>& fallbacks = job.outcome.fallbacks;
    plans.emplace(rank_plans(job.request, problem.counts, resources));
    if (const auto passed = plans->passed_over()) fallbacks.push_back(*passed);
    if (!plans->plan().on_device) problem.backend = problem.host;
    const SiteProblemRows* spins = problem.rows.sites();
    if (const auto orbits = orbits_on_host(spins)) fallbacks.push_back(*orbits);
    job.listener.opened({problem.rows->shape(), determinant_problem_of(problem.rows), spins,
                         problem.backend, fallbacks, problem.is_small});
    if (job.solves()) view = view_of(job, problem);
  });
  const base::Communicator& workers = workers_of(job);
  job.outcome.times.end("open_s");
  return {std::move(problem), *std::move(plans), std::move(view), &workers};
}

}  // namespace cisolve::job
