#include <ostream>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/report/records.hpp"
#include "app/report/tables.hpp"
#include "app/runs/folder.hpp"
#include "base/number.hpp"
#include "io/matrices/matrix_file.hpp"
#include "job/problem/source.hpp"
#include "sparse/rows/build.hpp"

// The commands that describe, make and change matrix files.
namespace cisolve::app {
namespace {

/// Lower bound of the size of a file with a generated matrix, in any format: 12 bytes for row,
/// column and value of each element; a symmetric matrix is stored as its lower triangle.
double least_bytes(const sparse::GeneratorOptions& options) {
  constexpr double kElement = 12;
  const double elements = sparse::least_nonzeros(options);
  return kElement * (options.symmetric ? elements / 2 : elements);
}

// Reads or generates a matrix and writes it to the file that the command names.
CommandOutcome write_matrix(const Configuration& configuration, const Invocation& call,
                            std::ostream& out) {
  const base::Backend host = job::open_backend(configuration.request).host();
  with_problem_errors_first(configuration, host, [&] {
    require_writable(call.output, call.force);
    if (configuration.request.source == job::ProblemSource::generate)
      require_disk_space(call.output, least_bytes(job::generator_options(configuration.request)));
  });
  const auto rows = job::open_rows(configuration.request, host);
  io::write_matrix(call.output, *rows, {.overwrite = call.force}, host);
  const sparse::MatrixShape shape = rows->shape();
  out << call.output << ": " << base::grouped(shape.rows) << " x " << base::grouped(shape.columns)
      << (shape.symmetric ? ", symmetric\n" : ", general\n");
  return {ExitCode::success,
          record({{"problem", problem_record(configuration, shape)}, {"file", call.output}})};
}

}  // namespace

CommandOutcome matrix_info(const Invocation& call, std::ostream& out) {
  const Configuration configuration = matrix_job(call);
  const base::Backend host = job::open_backend(configuration.request).host();
  const auto rows = job::open_rows(configuration.request, host);
  const sparse::Statistics statistics = sparse::describe(*rows, host);
  const auto lengths = sparse::row_lengths(*rows, host);
  const auto plans =
      sparse::plan_formats(*rows, lengths.span(), configuration.request.storage, host);
  sparse::write(out, statistics);
  out << '\n';
  write_memory_table(out, plans, configuration.request.storage.format);
  return {ExitCode::success, record({{"problem", problem_record(configuration, rows->shape())},
                                     {"statistics", statistics_record(statistics)},
                                     {"memory", memory_record(plans)}})};
}

CommandOutcome matrix_generate(const Invocation& call, std::ostream& out) {
  return write_matrix(make_configuration(job::ProblemSource::generate, call.overrides), call, out);
}

CommandOutcome matrix_convert(const Invocation& call, std::ostream& out) {
  return write_matrix(matrix_job(call), call, out);
}

}  // namespace cisolve::app
