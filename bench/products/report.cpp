#include "bench/products/report.hpp"

#include <algorithm>
#include <ostream>
#include <tuple>

#include "app/json/json.hpp"
#include "app/report/table.hpp"
#include "base/number.hpp"

namespace cisolve::bench {
namespace {

using app::Json;

std::string milliseconds(double seconds) { return base::brief(1e3 * seconds); }

std::string remark(const KernelResult& outcome) {
  if (!outcome.skipped.empty()) return outcome.skipped;
  return outcome.right ? "" : "WRONG";
}

std::vector<std::string> cells(const KernelResult& outcome) {
  if (!outcome.skipped.empty())
    return {outcome.kernel,
            std::to_string(outcome.vectors),
            "-",
            "-",
            "-",
            "-",
            "-",
            "-",
            "-",
            "-",
            "-"};
  const Spread& time = outcome.seconds;
  return {outcome.kernel,
          std::to_string(outcome.vectors),
          milliseconds(time.median),
          milliseconds(time.upper - time.lower),
          base::brief(outcome.gflops),
          base::brief(outcome.gbytes),
          base::fixed(100 * outcome.fraction_of_copy, 1),
          base::brief(outcome.own_gbytes),
          base::mebibytes(outcome.bytes),
          base::human_seconds(outcome.conversion_seconds),
          base::scientific(outcome.error, 1)};
}

Json json_of(const Spread& spread) {
  return Json::object(
      {{"lower", spread.lower}, {"median", spread.median}, {"upper", spread.upper}});
}

Json json_of(const BackendRates& rates) {
  return Json::object({{"backend", std::string(base::name_of(rates.backend))},
                       {"device", rates.description},
                       {"copy", json_of(rates.copy)},
                       {"read", json_of(rates.read)}});
}

Json json_of(const KernelResult& outcome) {
  std::vector<Json::Member> members{
      {"kernel", outcome.kernel},
      {"backend", std::string(base::name_of(outcome.backend))},
      {"threads", outcome.threads},
      {"precision", outcome.precision == Precision::double_precision ? "double" : "single"},
      {"vectors", outcome.vectors}};
  if (!outcome.skipped.empty()) {
    members.emplace_back("skipped", outcome.skipped);
    return Json::object(std::move(members));
  }
  const std::vector<Json::Member> measured{{"seconds", json_of(outcome.seconds)},
                                           {"runs", outcome.runs},
                                           {"gflops", outcome.gflops},
                                           {"gbytes_per_s", outcome.gbytes},
                                           {"own_gbytes_per_s", outcome.own_gbytes},
                                           {"of_copy", outcome.fraction_of_copy},
                                           {"bytes", outcome.bytes},
                                           {"conversion_s", outcome.conversion_seconds},
                                           {"error", outcome.error},
                                           {"right", outcome.right}};
  std::ranges::copy(measured, std::back_inserter(members));
  return Json::object(std::move(members));
}

Json json_of(const sparse::RowProfile& profile) {
  return Json::object({{"vectors", profile.vectors},
                       {"mean", profile.mean},
                       {"deviation", profile.deviation},
                       {"fill", profile.fill},
                       {"scatter", profile.scatter},
                       {"tile_parts", profile.tile_parts},
                       {"values", profile.values},
                       {"values_beside", profile.off_diagonal_values}});
}

Json json_of(const MatrixResults& matrix);

template <class Items>
Json json_array(const Items& items) {
  std::vector<Json> list;
  for (const auto& item : items) list.push_back(json_of(item));
  return Json::array(std::move(list));
}

Json json_of(const MatrixResults& matrix) {
  return Json::object({{"matrix", matrix.name},
                       {"rows", matrix.shape.rows},
                       {"columns", matrix.shape.columns},
                       {"reference_columns", matrix.shape.reference_columns},
                       {"nonzeros", matrix.nonzeros},
                       {"longest_row", matrix.longest_row},
                       {"profiles", json_array(matrix.profiles)},
                       {"rates", json_array(matrix.rates)},
                       {"kernels", json_array(matrix.outcomes)}});
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

}  // namespace

void write_table(std::ostream& out, const MatrixResults& matrix) {
  out << '\n'
      << matrix.name << "  " << base::grouped(matrix.shape.rows) << " x "
      << base::grouped(matrix.shape.columns) << ", " << base::grouped(matrix.nonzeros)
      << " non-zeros, longest row " << base::grouped(matrix.longest_row) << '\n';
  for (const BackendRates& rates : matrix.rates)
    out << base::name_of(rates.backend) << ": " << rates.description << ", copy "
        << base::brief(1e-9 * rates.copy.median) << " GB/s, read "
        << base::brief(1e-9 * rates.read.median) << " GB/s\n";
  app::Table table({"kernel", "vectors", "ms", "spread", "GFLOP/s", "GB/s", "% of copy", "own GB/s",
                    "held", "conversion", "error", "remark"});
  std::vector<const KernelResult*> order;
  for (const KernelResult& outcome : matrix.outcomes) order.push_back(&outcome);
  std::ranges::stable_sort(order, {}, [](const KernelResult* outcome) {
    return std::tuple(!outcome->skipped.empty(), outcome->vectors, outcome->seconds.median);
  });
  for (const KernelResult* outcome : order) {
    std::vector<std::string> row = cells(*outcome);
    row.push_back(remark(*outcome));
    table.add(std::move(row));
  }
  table.write(out);
}

std::string json(std::span<const MatrixResults> matrices, int repeat) {
  return Json::object({{"schema", 1},
                       {"benchmark", "products"},
                       {"repeat", repeat},
                       {"matrices", json_array(matrices)}})
             .document() +
         '\n';
}

std::string csv(std::span<const MatrixResults> matrices) {
  std::string text =
      "matrix,rows,columns,nonzeros,kernel,backend,threads,vectors,seconds_lower,seconds_median,"
      "seconds_upper,gflops,gbytes_per_s,own_gbytes_per_s,of_copy,bytes,conversion_s,error,right,"
      "skipped\n";
  for (const MatrixResults& matrix : matrices)
    for (const KernelResult& o : matrix.outcomes)
      text += base::concat(quoted(matrix.name), ',', matrix.shape.rows, ',', matrix.shape.columns,
                           ',', matrix.nonzeros, ',', o.kernel, ',', base::name_of(o.backend), ',',
                           o.threads, ',', o.vectors, ',', o.seconds.lower, ',', o.seconds.median,
                           ',', o.seconds.upper, ',', o.gflops, ',', o.gbytes, ',', o.own_gbytes,
                           ',', o.fraction_of_copy, ',', o.bytes, ',', o.conversion_seconds, ',',
                           o.error, ',', o.right, ',', quoted(o.skipped), '\n');
  return text;
}

}  // namespace cisolve::bench
