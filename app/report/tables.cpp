#include "app/report/tables.hpp"

#include <algorithm>
#include <ostream>

#include "app/report/table.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "sparse/stored/formats.hpp"

namespace cisolve::app {

bool has_boundary(std::string_view format) {
  return std::ranges::any_of(sparse::formats(), [&](const sparse::Format& known) {
    return known.name == format && known.accepts("boundary");
  });
}

std::string format_title(const std::string& format, Index boundary) {
  return has_boundary(format) ? base::concat(format, ", boundary ", boundary) : format;
}

// sparse::automatic_boundary() in words.
std::string boundary_reason(sparse::BoundaryPolicy policy) {
  return policy == sparse::BoundaryPolicy::column
             ? "the Reference region ends there"
             : "90 % of the rows have at least this number of non-zeros and need no padding; from "
               "128 on it is a multiple of 32; longer rows continue in the CSR part";
}

void write_memory_table(std::ostream& out, std::span<const sparse::PlannedFormat> formats,
                        const std::string& chosen) {
  Table table({"memory by format", "by formula", "held", "bytes held", "padding"});
  for (const sparse::PlannedFormat& planned : formats) {
    const std::string& format = planned.options.format;
    table.add({(format == chosen ? "> " : "  ") + format_title(format, planned.options.boundary),
               base::mebibytes(planned.memory.by_formula), base::mebibytes(planned.memory.held),
               base::grouped(planned.memory.held), base::grouped(planned.memory.padding)});
  }
  table.write(out);
  if (formats.size() < sparse::format_names().size())
    out << "diagonal formats are not listed: they would take more than 32 times the bytes of the "
           "elements\n";
}

void write_plans(std::ostream& out, const std::vector<job::Plan>& plans) {
  int number = 0;
  for (const job::Plan& plan : plans)
    out << "plan " << ++number << "     " << plan.text() << ", " << job::word_of(plan.elements())
        << ", " << base::human_bytes(plan.demand.matrix)
        << (plan.fits() ? ": " : ", does not fit: ") << plan.reason << '\n';
}

void write_product_table(std::ostream& out, std::span<const job::MeasuredProduct> products) {
  Table table({"product", "backend", "vectors", "build", "median", "spread", "GFLOP/s", "GB/s",
               "held", "max error", ""});
  for (const job::MeasuredProduct& product : products)
    table.add({format_title(product.format, product.boundary), product.backend,
               std::to_string(product.vectors), base::human_seconds(product.build_seconds),
               base::human_seconds(product.times.median),
               base::percent(product.times.spread / product.times.median),
               base::brief(product.gflops()), base::brief(product.gbytes()),
               base::human_bytes(product.memory.held), base::brief(product.check.max_error),
               product.check.passed ? "ok" : "WRONG"});
  table.write(out);
}

void write_fastest(std::ostream& out, std::span<const job::MeasuredProduct> products) {
  if (products.size() < 2) return;
  const auto rank = [](const job::MeasuredProduct& product) {
    return std::pair(!product.check.passed, product.times.median);
  };
  const job::MeasuredProduct& best = *std::ranges::min_element(products, {}, rank);
  if (!best.check.passed) return;
  const auto title = [](const job::MeasuredProduct& product) {
    return product.format + " on " + product.backend;
  };
  std::string ties;
  for (const job::MeasuredProduct& other : products)
    if (&other != &best && other.check.passed &&
        other.times.median - best.times.median <= other.times.spread + best.times.spread)
      ties += (ties.empty() ? "" : ", ") + title(other);
  out << "fastest: " << title(best);
  if (!ties.empty()) out << "; within the spread of both measurements: " << ties;
  out << '\n';
}

std::string failure_of(const job::ProductCheck& check) {
  return base::concat("VERIFICATION FAILED: row ", base::grouped(check.worst_row + 1),
                      " of the product has an error of ", base::brief(check.max_error),
                      " times its sum of |a||x|");
}

}  // namespace cisolve::app
