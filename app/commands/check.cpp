#include <algorithm>
#include <ostream>
#include <span>
#include <string>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/report/descriptions.hpp"
#include "app/report/progress_bar.hpp"
#include "app/report/records.hpp"
#include "app/report/tables.hpp"
#include "base/number.hpp"
#include "job/plan/fallback.hpp"
#include "job/problem/admission.hpp"
#include "job/problem/source.hpp"
#include "job/products/diagnostics.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::app {
namespace {

const sparse::PlannedFormat& chosen_of(std::span<const sparse::PlannedFormat> plans,
                                       std::string_view format) {
  for (const sparse::PlannedFormat& plan : plans)
    if (plan.options.format == format) return plan;
  base::fail(base::Fault::internal, "no plan was made for the format ", format);
}

// Where the chosen format and the vectors will lie, beside what may be held there.
struct Demand {
  Index matrix;
  Index vectors;
  Index limit;
  std::string advice;  // empty where it fits
  bool fits() const { return advice.empty(); }
};

// What a job does where the chosen format does not fit, or what its user can do.
std::string advice_on(const Demand& demand, const sparse::PlannedFormat& chosen,
                      std::span<const sparse::PlannedFormat> plans, const base::Backend& backend,
                      const Configuration& configuration) {
  if (!backend.is_host())
    if (const auto instead =
            job::smaller_plan(configuration, {true, chosen.options.format, demand.limit},
                              base::cuda::free_bytes(backend.device())))
      return "a job goes on with " + instead->text();
  if (demand.vectors > demand.limit) return job::advice_on_vectors(configuration);
  const Index left = demand.limit - demand.vectors;
  const auto fits = [&](const sparse::PlannedFormat& plan) { return plan.memory.held <= left; };
  const auto held = [](const sparse::PlannedFormat& plan) { return plan.memory.held; };
  const sparse::PlannedFormat& least = *std::ranges::min_element(plans, {}, held);
  if (!fits(least)) return job::advice_on_matrix(configuration);
  const sparse::PlannedFormat& plain = chosen_of(plans, "csr");  // quick everywhere
  return "choose the format " + (fits(plain) ? plain : least).options.format + ", or more memory";
}

Demand demand_of(std::span<const sparse::PlannedFormat> plans, const std::string& format,
                 const sparse::MatrixShape& shape, const base::Backend& backend,
                 const Configuration& configuration) {
  const sparse::PlannedFormat& chosen = chosen_of(plans, format);
  const double length = (static_cast<double>(shape.rows) + static_cast<double>(shape.columns)) / 2;
  Demand demand{
      chosen.memory.held, job::least_vectors(configuration, length), backend.memory().left(), {}};
  if (demand.matrix > demand.limit - demand.vectors)
    demand.advice = advice_on(demand, chosen, plans, backend, configuration);
  return demand;
}

void write_demand(std::ostream& out, const Demand& demand, const char* at_least,
                  const base::Backend& backend) {
  out << "held in the memory of the " << (backend.is_host() ? "host" : "device") << ": matrix "
      << at_least << base::human_bytes(demand.matrix) << ", vectors " << at_least
      << base::human_bytes(demand.vectors) << ", of " << base::human_bytes(demand.limit) << ": "
      << (demand.fits() ? "fits" : "DOES NOT FIT; " + demand.advice) << '\n';
}

void write_one(std::ostream& out, const char* name, const job::Disagreement& worst) {
  out << "  " << name << base::scientific(worst.largest, 1);
  if (worst.largest > 0) out << " at row " << worst.row + 1 << ", column " << worst.column + 1;
  out << '\n';
}

void write_diagnostics(std::ostream& out, const job::Diagnostics& found) {
  out << "\nsample     " << base::grouped(found.rows) << " rows, " << base::grouped(found.elements)
      << " elements: " << (found.passed() ? "as they should be\n" : "WRONG\n");
  write_one(out, "|H - H^T|            ", found.transposed);
  if (!found.has_determinants) return;
  write_one(out, "|H - Slater-Condon|  ", found.from_determinants);
  out << "  " << base::grouped(found.zeros) << " pairs beside them are zero\n";
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

// A count that may be beyond 64 bits.
Json count_record(double count) {
  constexpr double exact = 0x1p53;
  return count < exact ? Json(static_cast<Index>(count)) : Json(count);
}

// What is known of a job without counting it is enough to say that it does not fit.
Outcome refusal(const job::TooLarge& too_large, const Configuration& configuration,
                const base::Backend& backend, std::ostream& out) {
  const job::LeastDemand& least = too_large.demand();
  const Demand demand{least.matrix, least.vectors, too_large.limit(), too_large.advice()};
  out << "problem    " << job::describe_source(configuration) << '\n'
      << "shape      " << job::count_text(least.rows) << " x " << job::count_text(least.rows)
      << '\n'
      << "non-zeros  at least " << job::count_text(least.nonzeros);
  if (least.sampled_rows > 0) out << ", by a sample of " << least.sampled_rows << " rows";
  out << "\nbackend    " << backend.name() << ", " << backend.description() << "\n\n";
  if (least.tables > too_large.limit())
    out << "held in the memory of the host while it is built: tables of strings at least "
        << base::human_bytes(least.tables) << '\n';
  write_demand(out, demand, "at least ", backend);
  return {ExitCode::success,
          record({{"problem", Json::object({{"source", job::describe_source(configuration)},
                                            {"rows", count_record(least.rows)},
                                            {"columns", count_record(least.rows)}})},
                  {"nonzeros_at_least", count_record(least.nonzeros)},
                  {"backend", backend_record(backend)},
                  {"fits", false},
                  {"advice", too_large.advice()}})};
}

Outcome check_counted(const Invocation& call, const Configuration& configuration,
                      const base::Backend& backend, std::ostream& out) {
  const base::Backend host = backend.host();
  const job::Admission admission(configuration, host, [&] { return backend; });
  const auto rows = job::open_rows(configuration, host, &admission);
  const sparse::MatrixShape shape = rows->shape();
  const auto lengths = lengths_of(*rows, host, wants_bars(call));
  const Index nonzeros = sparse::total(lengths.span());
  const sparse::FormatOptions storage = job::chosen_storage(configuration, backend);
  const auto plans = sparse::plan_formats(*rows, lengths.span(), storage, backend);
  const Demand demand = demand_of(plans, storage.format, shape, backend, configuration);

  out << "problem    " << job::describe_source(configuration) << '\n'
      << "shape      " << base::grouped(shape.rows) << " x " << base::grouped(shape.columns)
      << (shape.symmetric ? ", symmetric" : ", general") << '\n'
      << "non-zeros  " << base::grouped(nonzeros) << '\n'
      << "backend    " << backend.name() << ", " << backend.description() << '\n';
  if (const job::Molecule* molecule = job::molecule_of(*rows))
    write_molecule(out, configuration, *molecule);
  out << '\n';
  write_memory_table(out, plans, storage.format);
  if (storage.format == "hybrid" && storage.boundary == sparse::kAutomatic)
    out << "boundary auto: " << boundary_reason(storage.policy) << '\n';
  out << '\n';
  write_demand(out, demand, "", backend);

  std::vector<Json::Member> members{{"problem", problem_record(configuration, shape)},
                                    {"nonzeros", nonzeros},
                                    {"format", storage.format},
                                    {"memory", memory_record(plans)},
                                    {"backend", backend_record(backend)},
                                    {"fits", demand.fits()}};
  Outcome outcome;
  if (call.diagnose) {
    const job::Diagnostics found =
        job::diagnose(*rows, job::molecule_of(*rows), configuration.elements.threshold);
    write_diagnostics(out, found);
    members.emplace_back("diagnostics", diagnostics_record(found));
    if (!found.passed()) outcome.code = ExitCode::verification_failed;
  }
  outcome.record = record(std::move(members));
  return outcome;
}

}  // namespace

Outcome check(const Invocation& call, std::ostream& out) {
  const Configuration configuration = job_of(call, out);
  warn_of_idle_keys(keys_without_effect(configuration), configuration.origin);
  const base::Backend backend = job::open_backend(configuration);
  try {
    return check_counted(call, configuration, backend, out);
  } catch (const job::TooLarge& too_large) {
    return refusal(too_large, configuration, backend, out);
  }
}

}  // namespace cisolve::app
