#include <optional>
#include <ostream>
#include <string>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/job/diagnostics.hpp"
#include "app/job/fallback.hpp"
#include "app/job/source.hpp"
#include "app/report/descriptions.hpp"
#include "app/report/number.hpp"
#include "app/report/progress_bar.hpp"
#include "app/report/records.hpp"
#include "app/report/tables.hpp"
#include "sparse/build.hpp"

namespace cisolve::app {
namespace {

const sparse::PlannedFormat& chosen_of(std::span<const sparse::PlannedFormat> plans,
                                       const std::string& format) {
  for (const sparse::PlannedFormat& plan : plans)
    if (plan.options.format == format) return plan;
  base::fail(base::Fault::internal, "no plan was made for the format ", format);
}

// Where the chosen format and the vectors of its product will lie, beside what each may hold.
struct Demand {
  Index matrix;
  Index vectors;
  Index limit;
  std::optional<Plan> instead;  // what a job does where it does not fit
  bool fits() const { return matrix <= limit - vectors; }
};

Demand demand_of(const sparse::PlannedFormat& plan, const sparse::MatrixShape& shape,
                 const base::Backend& backend, const Configuration& configuration) {
  const Index vectors =
      (shape.rows + shape.columns) * Index{sizeof(double)} * configuration.product.vectors;
  Demand demand{plan.memory.held, vectors, backend.memory().left(), std::nullopt};
  if (!demand.fits() && !backend.is_host())
    demand.instead = smaller_plan(configuration, {true, plan.options.format, demand.limit},
                                  base::cuda::free_bytes(backend.device()));
  return demand;
}

std::string advice_on(const Demand& demand) {
  if (demand.fits()) return "fits";
  if (demand.instead) return "DOES NOT FIT; a job goes on with " + demand.instead->text();
  return "DOES NOT FIT; choose another format or more memory";
}

void write_demand(std::ostream& out, const Demand& demand, const base::Backend& backend) {
  out << "held in the memory of the " << (backend.is_host() ? "host" : "device") << ": matrix "
      << base::human_bytes(demand.matrix) << ", vectors " << base::human_bytes(demand.vectors)
      << ", of " << base::human_bytes(demand.limit) << ": " << advice_on(demand) << '\n';
}

void write_one(std::ostream& out, const char* name, const Disagreement& worst) {
  out << "  " << name << scientific(worst.largest, 1);
  if (worst.largest > 0) out << " at row " << worst.row + 1 << ", column " << worst.column + 1;
  out << '\n';
}

void write_diagnostics(std::ostream& out, const Diagnostics& found) {
  out << "\nsample     " << grouped(found.rows) << " rows, " << grouped(found.elements)
      << " elements: " << (found.passed() ? "as they should be\n" : "WRONG\n");
  write_one(out, "|H - H^T|            ", found.transposed);
  if (!found.has_determinants) return;
  write_one(out, "|H - Slater-Condon|  ", found.from_determinants);
  out << "  " << grouped(found.zeros) << " pairs beside them are zero\n";
}

Json disagreement_record(const Disagreement& worst) {
  return Json::object({{"largest", worst.largest}, {"row", worst.row}, {"column", worst.column}});
}

Json diagnostics_record(const Diagnostics& found) {
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
  return sparse::row_lengths(WatchedRows(rows, bar.watch()), host);
}

}  // namespace

Outcome check(const Invocation& call, std::ostream& out) {
  const Configuration configuration = job_of(call, out);
  warn_of_idle_keys(keys_without_effect(configuration), configuration.origin);
  const base::Backend backend = open_backend(configuration);
  const base::Backend host = backend.host();
  const auto rows = open_rows(configuration, host);
  const sparse::MatrixShape shape = rows->shape();
  const auto lengths = lengths_of(*rows, host, wants_bars(call));
  const Index nonzeros = sparse::total(lengths.span());
  const sparse::FormatOptions storage = chosen_storage(configuration, backend);
  const auto plans = sparse::plan_formats(*rows, lengths.span(), storage, backend);
  const Demand demand = demand_of(chosen_of(plans, storage.format), shape, backend, configuration);

  out << "problem    " << describe_source(configuration) << '\n'
      << "shape      " << grouped(shape.rows) << " x " << grouped(shape.columns)
      << (shape.symmetric ? ", symmetric" : ", general") << '\n'
      << "non-zeros  " << grouped(nonzeros) << '\n'
      << "backend    " << backend.name() << ", " << backend.description() << '\n';
  if (const Molecule* molecule = molecule_of(*rows)) write_molecule(out, configuration, *molecule);
  out << '\n';
  write_memory_table(out, plans, storage.format);
  if (storage.format == "hybrid" && storage.boundary == sparse::kAutomatic)
    out << "boundary auto: " << boundary_reason(storage.policy) << '\n';
  out << '\n';
  write_demand(out, demand, backend);

  std::vector<Json::Member> members{{"problem", problem_record(configuration, shape)},
                                    {"nonzeros", nonzeros},
                                    {"format", storage.format},
                                    {"memory", memory_record(plans)},
                                    {"backend", backend_record(backend)},
                                    {"fits", demand.fits()}};
  Outcome outcome;
  if (call.diagnose) {
    const Diagnostics found = diagnose(*rows, molecule_of(*rows), configuration.elements.threshold);
    write_diagnostics(out, found);
    members.emplace_back("diagnostics", diagnostics_record(found));
    if (!found.passed()) outcome.code = ExitCode::verification_failed;
  }
  outcome.record = record(std::move(members));
  return outcome;
}

}  // namespace cisolve::app
