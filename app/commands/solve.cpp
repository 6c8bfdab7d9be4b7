#include <filesystem>
#include <ostream>

#include <spdlog/spdlog.h>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/job/source.hpp"
#include "app/job/stopwatch.hpp"
#include "app/report/number.hpp"
#include "app/report/records.hpp"
#include "app/report/tables.hpp"
#include "sparse/build.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;

// Made and proven writable before the work begins, so that no result is lost at its end.
std::string prepare_record_path(const Configuration& configuration, bool force) {
  const fs::path directory = configuration.output.directory;
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    base::fail(base::Fault::cannot_write, "cannot make the folder ", directory.native(), ": ",
               error.message(), "; choose another output.directory");
  const std::string path = (directory / "run.json").string();
  require_writable(path, force);
  return path;
}

void write_header(std::ostream& out, const Configuration& configuration,
                  const sparse::MatrixShape& shape, const base::Backend& backend) {
  out << "problem  " << describe_source(configuration) << ": " << grouped(shape.rows) << " x "
      << grouped(shape.columns) << (shape.symmetric ? ", symmetric" : ", general") << '\n'
      << "backend  " << backend.name() << ", " << backend.description() << "\n\n";
}

void write_verdict(std::ostream& out, const ProductCheck& check) {
  if (check.passed)
    out << "verified: every row of the product agrees with a recomputation from the source; "
        << "largest error " << brief(check.max_error) << " of the sum of |a||x|\n";
  else
    out << "VERIFICATION FAILED: row " << grouped(check.worst_row + 1)
        << " of the product is off by " << brief(check.max_error) << " of its sum of |a||x|\n";
}

}  // namespace

Outcome solve(const Invocation& call, std::ostream& out) {
  const Stopwatch all;
  const Configuration configuration = load_configuration(call.input, call.overrides);
  const base::Backend backend = open_backend(configuration);
  const base::Backend host = backend.host();
  const std::string record_path = prepare_record_path(configuration, call.force);

  const Stopwatch reading;
  const auto rows = open_rows(configuration, host);
  write_header(out, configuration, rows->shape(), backend);
  const sparse::Statistics statistics = sparse::describe(*rows, host);
  const double describe_seconds = reading.seconds();
  sparse::write(out, statistics);

  const sparse::FormatOptions storage = chosen_storage(configuration);
  const auto lengths = sparse::row_lengths(*rows, host);
  const auto plans = plan_formats(*rows, lengths.span(), storage, host);
  out << '\n';
  write_memory_table(out, plans, storage.format);

  spdlog::debug("building {} and multiplying {} times", storage.format,
                configuration.product.repeat);
  const MeasuredProduct product = measure_product(*rows, storage, backend, configuration.product);
  out << '\n';
  write_product_table(out, std::span(&product, 1));
  out << '\n';
  write_verdict(out, product.check);

  Outcome outcome;
  outcome.record = record({{"problem", problem_record(configuration, rows->shape())},
                           {"statistics", statistics_record(statistics)},
                           {"memory", memory_record(plans)},
                           {"operator", operator_record(product, storage)},
                           {"backend", backend_record(backend)},
                           {"product", product_record(product, configuration.product)},
                           {"verification", verification_record(product.check)},
                           {"timings", Json::object({{"describe_s", describe_seconds},
                                                     {"build_s", product.build_seconds},
                                                     {"product_s", product.seconds},
                                                     {"total_s", all.seconds()}})}});
  if (!product.check.passed) outcome.code = ExitCode::verification_failed;
  write_text_file(record_path, outcome.record.text(), call.force);
  spdlog::info("wrote {}", record_path);
  return outcome;
}

}  // namespace cisolve::app
