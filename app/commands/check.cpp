#include <ostream>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/job/source.hpp"
#include "app/report/number.hpp"
#include "app/report/records.hpp"
#include "app/report/tables.hpp"
#include "sparse/build.hpp"

namespace cisolve::app {
namespace {

const PlannedFormat& chosen_of(std::span<const PlannedFormat> plans, const std::string& format) {
  for (const PlannedFormat& plan : plans)
    if (plan.options.format == format) return plan;
  base::fail(base::Fault::internal, "no plan was made for the format ", format);
}

// Where the chosen format and the vectors of its product will lie, beside what each may hold.
struct Demand {
  Index matrix;
  Index vectors;
  Index limit;
  bool fits() const { return matrix <= limit - vectors; }
};

Demand demand_of(const PlannedFormat& plan, const sparse::MatrixShape& shape,
                 const base::Backend& backend, const Configuration& configuration) {
  const Index vectors =
      (shape.rows + shape.columns) * Index{sizeof(double)} * configuration.product.vectors;
  return {plan.memory.held, vectors, backend.memory().left()};
}

void write_demand(std::ostream& out, const Demand& demand, const base::Backend& backend) {
  out << "held in the memory of the " << (backend.is_host() ? "host" : "device") << ": matrix "
      << base::human_bytes(demand.matrix) << ", vectors " << base::human_bytes(demand.vectors)
      << ", of " << base::human_bytes(demand.limit)
      << (demand.fits() ? ": fits\n" : ": DOES NOT FIT; choose another format or more memory\n");
}

}  // namespace

Outcome check(const Invocation& call, std::ostream& out) {
  const Configuration configuration = matrix_job(call);
  const base::Backend backend = open_backend(configuration);
  const base::Backend host = backend.host();
  const auto rows = open_rows(configuration, host);
  const sparse::MatrixShape shape = rows->shape();
  const auto lengths = sparse::row_lengths(*rows, host);
  const Index nonzeros = sparse::total(lengths.span());
  const sparse::FormatOptions storage = chosen_storage(configuration, backend);
  const auto plans = plan_formats(*rows, lengths.span(), storage, host);
  const Demand demand = demand_of(chosen_of(plans, storage.format), shape, backend, configuration);

  out << "problem    " << describe_source(configuration) << '\n'
      << "shape      " << grouped(shape.rows) << " x " << grouped(shape.columns)
      << (shape.symmetric ? ", symmetric" : ", general") << '\n'
      << "non-zeros  " << grouped(nonzeros) << '\n'
      << "backend    " << backend.name() << ", " << backend.description() << "\n\n";
  write_memory_table(out, plans, storage.format);
  if (storage.format == "hybrid" && storage.boundary == sparse::kAutomatic)
    out << "boundary auto: " << boundary_reason(storage.policy) << '\n';
  out << '\n';
  write_demand(out, demand, backend);

  Outcome outcome;
  outcome.record = record({{"problem", problem_record(configuration, shape)},
                           {"nonzeros", nonzeros},
                           {"format", storage.format},
                           {"memory", memory_record(plans)},
                           {"backend", backend_record(backend)},
                           {"fits", demand.fits()}});
  return outcome;
}

}  // namespace cisolve::app
