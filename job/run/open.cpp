#include <algorithm>

#include "base/ranks/collective_errors.hpp"
#include "job/ranking/plan_feasibility_check.hpp"
#include "job/ranking/small_jobs.hpp"
#include "job/run/stages.hpp"
#include "job/run/workers.hpp"
#include "job/states/dyson.hpp"

// Opening of a job: the problem is read while the device starts.
namespace cisolve::job {
namespace {

// The best estimates without counting the rows.
MatrixEstimate counts_of(const sparse::RowSource& rows, const PlanFeasibilityCheck& feasibility) {
  MatrixEstimate counts = feasibility.counts();
  counts.rows = static_cast<double>(std::min(rows.shape().rows, rows.shape().columns));
  return counts;
}

bool is_done_before_a_device_starts(const JobContext& job, const OpenJob& opened) {
  MatrixEstimate counts = opened.counts;
  opened.computed.write_costs(opened.host, counts);
  const Resources resources = Resources::of(opened.host, job.request.machine_factors);
  const std::vector<Plan> plans = rank_plans(job.request, counts, resources);
  return is_done_before_a_start(job.request, counts, resources, plans.front());
}

/// Returns whether the problem was analysed before the backend was ready.
bool open_problem(const JobContext& job, OpenJob& opened) {
  const Request& request = job.request;
  AsyncBackend& starting = job.starting;
  if (job.ranks.size() > 1) starting.begin();
  PlanFeasibilityCheck feasibility(
      request, opened.host, [&] { return starting.get(); }, network_of_workers(job, opened.host),
      [&](const MatrixEstimate& counts) {
        if (takes_longer_than_a_start(request, counts.rows, opened.host.threads()))
          starting.begin();
      });
  opened.rows = open_rows(request, opened.host, &feasibility);
  const DeterminantProblem* molecule = determinant_problem_of(opened.rows);
  if (job.solves() && molecule != nullptr) require_dyson_partner(request, *molecule, opened.host);
  if (job.solves())
    opened.given = read_start_states(request, determinant_problem_of(opened.rows),
                                     opened.rows->shape().rows, opened.host);
  opened.counts = counts_of(*opened.rows, feasibility);
  starting.refuse_what_is_known_to_fail();
  const bool may_stay = job.ranks.size() == 1 && starting.may_stay_on_host();
  const bool has_looked = may_stay || learns_anywhere(request);
  if (has_looked)
    opened.computed = estimate_products(request, opened.rows, opened.host, opened.counts);
  opened.is_small = may_stay && is_done_before_a_device_starts(job, opened);
  return has_looked;
}

void wait_for_backend(const JobContext& job, OpenJob& opened) {
  job.outcome.times.end("open_s");
  if (!opened.is_small) opened.backend = job.starting.get();
  opened.host = opened.backend.host();
  job.outcome.times.end("wait_for_backend_s");
  if (const std::string& reason = job.starting.refusal(); !reason.empty())
    job.outcome.fallbacks.push_back({"the device", "the host", reason});
}

/// Selects a device on every rank, or the host on all.
void choose_backend_of_all(const JobContext& job, OpenJob& opened) {
  const Request& request = job.request;
  if (job.ranks.size() == 1) return;
  const bool has_device = !opened.backend.is_host();
  std::string reason;
  if (!job.ranks.all_true(has_device)) reason = "at least one rank has no device";
  if (reason.empty() && is_site_basis(request))
    reason = "symmetry sectors of a lattice are distributed over ranks only on the host";
  base::run_collectively(job.ranks, [&] {
    if (!reason.empty() && request.backend.needs_device())
      base::fail(base::ErrorKind::backend, request.origin, ": backend is ", request.backend.text(),
                 ", but ", reason, "; expected auto, openmp or reference");
  });
  if (reason.empty()) return;
  if (has_device) job.outcome.fallbacks.push_back({"the devices of all ranks", "the host", reason});
  opened.backend = opened.host;
}

}  // namespace

OpenJob open(const JobContext& job) {
  std::optional<OpenJob> opened;
  bool has_looked = false;
  base::run_collectively(job.ranks, [&] {
    const base::Backend& host = job.starting.host();
    opened.emplace(OpenJob{.inputs = InputFiles(job.request), .backend = host, .host = host});
    has_looked = open_problem(job, *opened);
    wait_for_backend(job, *opened);
  });
  choose_backend_of_all(job, *opened);
  base::run_collectively(job.ranks, [&] {
    if (!has_looked)
      opened->computed =
          estimate_products(job.request, opened->rows, opened->backend, opened->counts);
    opened->computed.write_costs(opened->backend, opened->counts);
  });
  return *std::move(opened);
}

}  // namespace cisolve::job
