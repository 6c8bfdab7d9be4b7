#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/commands/plans_on_ranks.hpp"
#include "app/config/error_place.hpp"
#include "app/report/descriptions.hpp"
#include "app/report/progress_bar.hpp"
#include "app/report/records.hpp"
#include "app/report/sites.hpp"
#include "app/report/tables.hpp"
#include "app/runs/orbital_files.hpp"
#include "app/runs/result_writer.hpp"
#include "base/number.hpp"
#include "job/problem/estimated_full_ci.hpp"
#include "job/problem/product_drafts.hpp"
#include "job/problem/source.hpp"
#include "job/products/diagnostics.hpp"
#include "job/ranking/plan_feasibility_check.hpp"
#include "job/ranking/small_jobs.hpp"
#include "job/ranking/whole_job.hpp"
#include "job/states/dyson.hpp"
#include "job/states/solver_adapter.hpp"
#include "job/states/start_states.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::app {
namespace {

// Fallback of a job whose first plan does not fit, or advice to its user.
std::string advice_on(const std::vector<job::Plan>& plans,
                      std::span<const sparse::PlannedFormat> formats,
                      const Configuration& configuration) {
  const job::Plan& first = plans.front();
  const job::Plan& first_plan = plans[job::first_fitting(plans)];
  if (first_plan.fits()) return "a job falls back to " + first_plan.text();
  if (first.demand.vectors > first.limit) return job::advice_on_vectors(configuration.request);
  if (formats.empty()) return job::advice_on_matrix(configuration.request);
  const Index left = first.limit - first.demand.vectors;
  const auto held = [](const sparse::PlannedFormat& plan) { return plan.memory.held; };
  const sparse::PlannedFormat& least = *std::ranges::min_element(formats, {}, held);
  if (held(least) > left) return job::advice_on_matrix(configuration.request);
  const auto plain = std::ranges::find(
      formats, "csr", [](const sparse::PlannedFormat& plan) { return plan.options.format; });
  return "set storage.format to " + (held(*plain) <= left ? *plain : least).options.format +
         ", or raise the memory budget";  // CSR is quick everywhere
}

const char* origin_of_rates(const job::MachineFactors& factors) {
  return factors.is_measured ? "measured" : "built in";
}

// Prints the rates behind the predictions.
void write_rates(std::ostream& out, const job::Resources& resources) {
  out << "rates      " << origin_of_rates(resources.host_machine) << " (host)";
  if (resources.device) out << ", " << origin_of_rates(resources.device_machine) << " (device)";
  out << '\n';
}

Json rates_record(const job::Resources& resources) {
  return Json::object(
      {{"host", origin_of_rates(resources.host_machine)},
       {"device", resources.device ? Json(origin_of_rates(resources.device_machine)) : Json()}});
}

void write_staged(std::ostream& out, const job::SearchSpaceEstimate& solving) {
  if (solving.staged == 0) return;
  out << "staged in host memory: a search space of " << base::human_bytes(solving.staged)
      << "; each iteration transfers " << base::human_bytes(static_cast<Index>(solving.moved))
      << '\n';
}

void write_demand(std::ostream& out, const job::MemoryNeed& demand, Index limit,
                  const char* at_least, bool on_device, const std::string& advice) {
  out << (on_device ? "device" : "host") << " memory: matrix " << at_least
      << base::human_bytes(demand.matrix) << ", vectors " << at_least
      << base::human_bytes(demand.vectors) << ", of " << base::human_bytes(limit)
      << " available: " << (advice.empty() ? "fits" : "DOES NOT FIT; " + advice) << '\n';
}

void write_disagreement(std::ostream& out, const char* name, const job::Disagreement& worst) {
  out << "  " << name << base::scientific(worst.largest, 1);
  if (worst.largest > 0) out << " at row " << worst.row + 1 << ", column " << worst.column + 1;
  out << '\n';
}

void write_diagnostics(std::ostream& out, const job::Diagnostics& found) {
  out << "\nsample     " << base::grouped(found.rows) << " rows, " << base::grouped(found.elements)
      << " elements: " << (found.passed() ? "correct\n" : "WRONG\n");
  write_disagreement(out, "|H - H^T|            ", found.transposed);
  if (!found.has_determinants) return;
  write_disagreement(out, "|H - Slater-Condon|  ", found.from_determinants);
  out << "  " << base::grouped(found.zeros) << " other pairs are zero\n";
}

Json disagreement_record(const job::Disagreement& worst) {
  return Json::object({{"largest", worst.largest}, {"row", worst.row}, {"column", worst.column}});
}

Json diagnostics_record(const job::Diagnostics& found) {
  std::vector<Json::Member> members{{"rows", found.rows},
                                    {"elements", found.elements},
                                    {"transposed", disagreement_record(found.transposed)}};
  if (found.has_determinants) {
    members.emplace_back("from_determinants", disagreement_record(found.from_determinants));
    members.emplace_back("zeros", found.zeros);
  }
  members.emplace_back("passed", found.passed());
  return Json::object(std::move(members));
}

base::Array<sparse::Column> lengths_of(const sparse::RowSource& rows, const base::Backend& host,
                                       bool with_bar) {
  ProgressBar bar("counting the non-zeros", rows.shape().rows, with_bar);
  return sparse::row_lengths(job::WatchedRows(rows, bar.watch()), host);
}

Json seconds_record(std::optional<double> seconds) { return seconds ? Json(*seconds) : Json(); }

// A count that may be beyond 64 bits.
Json count_record(double count) {
  constexpr double exact = 0x1p53;
  return count < exact ? Json(static_cast<Index>(count)) : Json(count);
}

/// Plans for the ranks given by --ranks, if any.
std::optional<PlansOnRanks> plans_of_ranks(const Invocation& call,
                                           const Configuration& configuration,
                                           const base::Backend& backend,
                                           job::MatrixEstimate counts) {
  if (call.planned.count == 0) return std::nullopt;
  const auto this_machine = job::Resources::of(backend, configuration.request.machine_factors);
  const auto resources = resources_of(call.planned, this_machine, configuration.request);
  auto plans = job::rank_plans(configuration.request, counts, resources);
  return PlansOnRanks{call.planned, resources, counts, std::move(plans)};
}

/// Reports the plans for ranks, if any, to the user and in the record.
void report_plans_on_ranks(const std::optional<PlansOnRanks>& ranks, std::ostream& out,
                           std::vector<Json::Member>& members) {
  if (!ranks) return;
  out << '\n';
  write_plans_on_ranks(out, *ranks);
  members.emplace_back("ranks", plans_on_ranks_record(*ranks));
}

// Refusal if host memory ran out while the problem was read, so that its demand is unknown.
CommandOutcome refusal_without_demand(const job::TooLarge& too_large,
                                      const Configuration& configuration,
                                      const base::Backend& backend, std::ostream& out) {
  const std::string source = job::describe_source(configuration.request);
  out << "problem    " << source << '\n'
      << "backend    " << backend.name() << ", " << backend.description() << "\n\n"
      << "host memory: DOES NOT FIT; " << too_large.advice() << '\n';
  return {ExitCode::success, record({{"problem", Json::object({{"source", source}})},
                                     {"backend", backend_record(backend)},
                                     {"fits", false},
                                     {"advice", too_large.advice()}})};
}

// Refusal of a job that its size alone shows not to fit.
CommandOutcome refusal(const Invocation& call, const job::TooLarge& too_large,
                       const Configuration& configuration, const base::Backend& backend,
                       std::ostream& out) {
  if (!too_large.demand()) return refusal_without_demand(too_large, configuration, backend, out);
  const job::LeastDemand& least = *too_large.demand();
  out << "problem    " << job::describe_source(configuration.request) << '\n'
      << "shape      " << job::count_text(least.rows) << " x " << job::count_text(least.rows)
      << '\n'
      << "non-zeros  at least " << job::count_text(least.nonzeros);
  if (least.sampled_rows > 0) out << ", estimated from " << least.sampled_rows << " sampled rows";
  out << "\nbackend    " << backend.name() << ", " << backend.description() << "\n\n";
  if (least.tables > too_large.limit())
    out << "host memory while the matrix is built: string tables of at least "
        << base::human_bytes(least.tables) << '\n';
  if (least.densities > too_large.limit())
    out << "host memory while states are described: two-particle densities of "
        << base::human_bytes(least.densities) << '\n';
  write_demand(out, least, too_large.limit(), "at least ", !backend.is_host(), too_large.advice());
  std::vector<Json::Member> members{
      {"problem", Json::object({{"source", job::describe_source(configuration.request)},
                                {"rows", count_record(least.rows)},
                                {"columns", count_record(least.rows)}})},
      {"nonzeros_at_least", count_record(least.nonzeros)},
      {"backend", backend_record(backend)},
      {"fits", false},
      {"advice", too_large.advice()}};
  if (call.planned.count > 0) {
    const auto estimate = job::estimate_full_ci(configuration.request, backend.host());
    report_plans_on_ranks(plans_of_ranks(call, configuration, backend, estimate.value_or(least)),
                          out, members);
  }
  return {ExitCode::success, record(std::move(members))};
}

/// Returns work(), which uses no device; throws job::TooLarge if host memory is insufficient.
template <class Work>
std::invoke_result_t<Work> within_memory(Work work) {
  try {
    return work();
  } catch (const job::TooLarge&) {
    throw;
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::resources) throw;
    throw job::TooLarge(error.what());
  }
}

/// Results of the check of a job that may fit.
struct Findings {
  job::ProblemRows rows;
  job::MatrixEstimate counts;
  std::vector<job::Plan> plans;
  // Unset for large matrices of which no element would be stored; then no format is planned.
  std::optional<Index> nonzeros;
  std::vector<sparse::PlannedFormat> formats;
  job::Resources resources;  // left after the problem is loaded, as in a job

  const job::Plan& first() const { return plans.front(); }
  /// The plan with which a job begins.
  const job::Plan& first_plan() const { return plans[job::first_fitting(plans)]; }
};

// Checks what a job refuses before it solves: an impossible spin, start states of another space.
// Lack of memory for this check is left to the plans.
void require_valid_states(const Configuration& configuration, const job::ProblemRows& rows,
                          const base::Backend& host) {
  if (configuration.request.solver.states == 0) return;
  const job::DeterminantProblem* molecule = job::determinant_problem_of(rows);
  try {
    if (molecule != nullptr) job::require_dyson_partner(configuration.request, *molecule, host);
    auto given = job::read_start_states(configuration.request, molecule, rows->shape().rows, host);
    const job::SolverAdapter view(configuration.request, molecule, rows.sites());
    if (view.basis() != nullptr) job::take_functions(configuration.request, *view.basis(), given);
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::resources) throw;
  }
}

bool stores(const job::Plan& plan) { return plan.fits() && plan.stores(); }

Findings collect_findings(const Invocation& call, const Configuration& configuration,
                          const base::Backend& backend) {
  // Up to this size elements are counted and every format is planned, in less than a second.
  constexpr Index kMostRows = Index{1} << 22;
  constexpr double kMostElements = 1e7;
  const base::Backend host = backend.host();
  bool is_device_requested = false;  // whether a job's feasibility check waits for its device
  job::PlanFeasibilityCheck feasibility(configuration.request, host, [&] {
    is_device_requested = true;
    return backend;
  });
  Findings found{.rows = within_memory(
                     [&] { return job::open_rows(configuration.request, host, &feasibility); }),
                 .counts = {},
                 .plans = {},
                 .nonzeros = {},
                 .formats = {},
                 .resources = {}};
  const sparse::MatrixShape shape = found.rows->shape();
  if (shape.rows <= kMostRows) require_valid_states(configuration, found.rows, host);
  job::MatrixEstimate& counts = found.counts;
  counts = feasibility.counts();
  counts.rows = (static_cast<double>(shape.rows) + static_cast<double>(shape.columns)) / 2;
  const job::ProductDrafts computed =
      job::estimate_counts(configuration.request, found.rows, backend, counts);
  const job::Resources& resources = found.resources =
      job::Resources::of(backend, configuration.request.machine_factors);
  const auto rank = [&] {
    return is_device_requested
               ? job::rank_plans(configuration.request, counts, resources)
               : job::rank_plans_before_a_start(configuration.request, counts, resources);
  };
  found.plans = rank();
  const bool is_small = shape.rows <= kMostRows && counts.nonzeros <= kMostElements;
  if (!stores(found.first_plan()) && !is_small) return found;
  const auto lengths =
      within_memory([&] { return lengths_of(*found.rows, host, wants_bars(call)); });
  found.nonzeros = sparse::total(lengths.span());
  counts.nonzeros = static_cast<double>(*found.nonzeros);
  found.plans = rank();
  const base::Backend& place = found.first().on_device ? backend : host;
  within_memory([&] {
    job::set_exact_bytes(found.plans, *found.rows, lengths.span(), backend);
    found.formats = sparse::plan_formats(*found.rows, lengths.span(), found.first().storage, place);
  });
  return found;
}

void write_formats(std::ostream& out, const Findings& found) {
  const sparse::FormatOptions& storage = found.first().storage;
  write_memory_table(out, found.formats, storage.format);
  if (has_boundary(storage.format) && storage.boundary == sparse::kAutomatic)
    out << "boundary auto: " << boundary_reason(storage.policy) << '\n';
  out << '\n';
}

std::string advice_of(const Findings& found, const Configuration& configuration) {
  if (found.first().fits()) return "";
  return advice_on(found.plans, found.formats, configuration);
}

std::optional<double> predicted(const Findings& found, const Configuration& configuration) {
  if (!found.first_plan().fits()) return std::nullopt;
  return job::predicted_seconds(configuration.request, found.counts, found.resources,
                                found.first_plan());
}

void write_prediction(std::ostream& out, std::optional<double> seconds) {
  if (seconds)
    out << "job        about " << base::human_seconds(*seconds)
        << ", predicted for the solution and its verification\n";
}

void write_findings(std::ostream& out, const Findings& found, const Configuration& configuration,
                    const base::Backend& backend) {
  const sparse::MatrixShape shape = found.rows->shape();
  out << "problem    " << job::describe_source(configuration.request) << '\n'
      << "shape      " << base::grouped(shape.rows) << " x " << base::grouped(shape.columns)
      << (shape.symmetric ? ", symmetric" : ", general") << '\n';
  if (found.nonzeros)
    out << "non-zeros  " << base::grouped(*found.nonzeros) << '\n';
  else
    out << "non-zeros  about " << base::scientific(found.counts.nonzeros, 1)
        << ", estimated since the first plan stores none\n";
  out << "backend    " << backend.name() << ", " << backend.description() << '\n';
  if (const job::DeterminantProblem* molecule = job::determinant_problem_of(found.rows))
    write_molecule(out, configuration, *molecule);
  if (const job::SiteProblemRows* spins = found.rows.sites())
    write_sector(out, configuration.request, spins->problem());
  out << '\n';
  if (found.nonzeros) write_formats(out, found);
  write_rates(out, found.resources);
  write_plans(out, found.plans);
  write_prediction(out, predicted(found, configuration));
  out << '\n';
  const job::Plan& first = found.first();
  write_demand(out, first.demand, first.limit, "", first.on_device,
               advice_of(found, configuration));
  write_staged(out, first.solving);
}

std::vector<Json::Member> findings_record(const Findings& found, const Configuration& configuration,
                                          const base::Backend& backend) {
  const bool is_counted = found.nonzeros.has_value();
  return {{"problem", problem_record(configuration, found.rows->shape())},
          {"nonzeros", is_counted ? Json(*found.nonzeros) : Json()},
          {"nonzeros_about", count_record(std::floor(found.counts.nonzeros))},
          {"format", found.first().stores() ? Json(found.first().storage.format) : Json()},
          {"memory", is_counted ? memory_record(found.formats) : Json()},
          {"backend", backend_record(backend)},
          {"plans", plans_record(found.plans)},
          {"predicted_seconds", seconds_record(predicted(found, configuration))},
          {"rates", rates_record(found.resources)},
          {"fits", found.first().fits()}};
}

CommandOutcome check_admitted(const Invocation& call, const Configuration& configuration,
                              const base::Backend& backend, std::ostream& out) {
  const Findings found = collect_findings(call, configuration, backend);
  const job::DeterminantProblem* molecule = job::determinant_problem_of(found.rows);
  if (configuration.request.solver.states > 0) require_orbital_files(configuration, molecule);
  write_findings(out, found, configuration, backend);
  const KeptVectors kept =
      ResultWriter(configuration, false).expected(found.rows->shape().rows, molecule);
  if (!kept.note.empty()) out << kept.note << '\n';
  std::vector<Json::Member> members = findings_record(found, configuration, backend);
  report_plans_on_ranks(plans_of_ranks(call, configuration, backend, found.counts), out, members);
  members.emplace_back("output", output_record(kept));
  CommandOutcome outcome;
  if (call.diagnose) {
    const job::Diagnostics seen =
        job::diagnose(*found.rows, molecule, configuration.request.elements.threshold);
    write_diagnostics(out, seen);
    members.emplace_back("diagnostics", diagnostics_record(seen));
    if (!seen.passed()) outcome.code = ExitCode::verification_failed;
  }
  outcome.record = record(std::move(members));
  return outcome;
}

// `memory` given for each of many ranks may exceed this machine's.
base::Backend backend_of_check(const Invocation& call, const Configuration& configuration) {
  job::Request request = configuration.request;
  if (call.planned.count > 0 && request.memory)
    request.memory = std::min(*request.memory, base::default_host_limit());
  return job::open_backend(request);
}

}  // namespace

CommandOutcome check(const Invocation& call, std::ostream& out) {
  const Configuration configuration = job_of(call, out);
  warn_of_unused_keys(keys_without_effect(configuration), configuration.request.origin);
  const base::Backend backend = backend_of_check(call, configuration);
  try {
    return check_admitted(call, configuration, backend, out);
  } catch (const job::TooLarge& too_large) {
    return refusal(call, too_large, configuration, backend, out);
  } catch (const base::Error& error) {
    throw_with_place(error, configuration);
  }
}

}  // namespace cisolve::app
