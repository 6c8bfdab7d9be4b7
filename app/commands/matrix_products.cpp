#include <algorithm>
#include <map>
#include <ostream>

#include <spdlog/spdlog.h>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/config/suggest.hpp"
#include "app/report/records.hpp"
#include "app/report/tables.hpp"
#include "app/runs/folder.hpp"
#include "app/runs/vector_file.hpp"
#include "base/block_kernels.hpp"
#include "base/multivector.hpp"
#include "base/number.hpp"
#include "base/stopwatch.hpp"
#include "job/methods/prepare.hpp"
#include "job/problem/source.hpp"
#include "job/ranking/rank_plans.hpp"
#include "job/request/elements.hpp"
#include "sparse/stored/matrix.hpp"

// The commands that store a matrix and multiply with it.
namespace cisolve::app {
namespace {

void require_formats(const std::vector<std::string>& formats) {
  const std::vector<std::string>& known = sparse::format_names();
  for (const std::string& format : formats)
    if (std::ranges::find(known, format) == known.end())
      base::fail(base::ErrorKind::usage, "unknown format '", format, "'; expected ",
                 alternatives(known), did_you_mean(format, known));
}

std::vector<std::string> or_default(const std::vector<std::string>& given,
                                    const std::vector<std::string>& standard) {
  return given.empty() ? standard : given;
}

Json measured_record(const job::MeasuredProduct& product, const sparse::FormatOptions& storage,
                     const job::Request::Product& how) {
  return Json::object({{"backend", product.backend},
                       {"operator", operator_record(product, storage)},
                       {"product", product_record(product, how)},
                       {"verification", verification_record(product.check)},
                       {"build_s", product.build_seconds}});
}

// Warns of command-line options that have no effect for any format on any backend.
void warn_of_unused_options(const Invocation& call, Configuration configuration,
                            const std::vector<std::string>& formats,
                            const std::vector<base::Backend>& backends) {
  std::map<std::string, std::size_t> times_unused;
  std::vector<UnusedKey> last;
  for (const std::string& format : formats)
    for (const base::Backend& backend : backends) {
      configuration.request.storage.format = format;
      configuration.request.backend = backend.kind();
      last = keys_without_effect(configuration);
      for (const UnusedKey& unused : last) ++times_unused[unused.key];
    }
  std::erase_if(last, [&](const UnusedKey& unused) {
    const bool is_option = std::ranges::count(call.overrides, unused.key, &Override::key) > 0;
    const bool is_of_product = unused.key.starts_with("storage.") || unused.key == "threads" ||
                               unused.key == "device_memory";
    return !is_option || !is_of_product ||
           times_unused[unused.key] < formats.size() * backends.size();
  });
  warn_of_unused_keys(last, "the command line");
}

// The vectors of a file, or random ones.
base::MultiVector make_x(const Invocation& call, const Configuration& configuration, Index rows,
                         const base::Backend& host) {
  if (!call.x_file.empty()) return read_vectors(call.x_file, rows, host);
  base::MultiVector x(host, rows, static_cast<int>(configuration.request.product.vectors),
                      "the vectors x");
  base::block_kernels(host).randomise(
      host, static_cast<std::uint64_t>(configuration.request.product.seed), x.block());
  return x;
}

}  // namespace

CommandOutcome matrix_product(const Invocation& call, std::ostream& out) {
  if (!call.second.empty()) return matrix_multiply(call, out);
  if (!call.output.empty())
    base::fail(base::ErrorKind::usage,
               "--output needs two matrices, A and B; use 'matrix apply' to ", "write y = A x");
  require_formats(call.formats);
  const Configuration configuration = matrix_job(call);
  // All backends are opened first, so that a missing one is reported before the work.
  std::vector<base::Backend> backends;
  for (const std::string& name : or_default(call.backends, {configuration.request.backend.text()}))
    backends.push_back(job::open_backend(configuration.request, name));
  const auto rows = job::open_rows(configuration.request, backends.front().host());
  const std::vector<std::string> standard = !job::names_format(configuration.request)
                                                ? sparse::format_names()
                                                : std::vector{configuration.request.storage.format};
  const std::vector<std::string> formats = or_default(call.formats, standard);
  warn_of_unused_options(call, configuration, formats, backends);
  std::vector<job::MeasuredProduct> products;
  std::vector<Json> items;
  CommandOutcome outcome;
  for (const std::string& format : formats)
    for (const base::Backend& backend : backends) {
      sparse::FormatOptions storage = configuration.request.storage;
      storage.format = format;
      products.push_back(
          job::measure_product(rows, storage, backend, configuration.request.product));
      items.push_back(measured_record(products.back(), storage, configuration.request.product));
      if (!products.back().check.passed) outcome.code = ExitCode::verification_failed;
    }
  write_product_table(out, products);
  write_fastest(out, products);
  outcome.record = record({{"problem", problem_record(configuration, rows->shape())},
                           {"products", Json::array(std::move(items))}});
  return outcome;
}

CommandOutcome matrix_apply(const Invocation& call, std::ostream& out) {
  const Configuration configuration = matrix_job(call);
  const base::Backend backend = job::open_backend(configuration.request);
  const base::Backend host = backend.host();
  if (!call.output.empty())
    with_problem_errors_first(configuration, host,
                              [&] { require_writable(call.output, call.force); });
  const auto rows = job::open_rows(configuration.request, host);
  const sparse::FormatOptions storage =
      job::chosen_form(configuration.request, *rows, backend).storage;
  warn_of_unused_options(call, configuration, {storage.format}, {backend});
  const base::MultiVector x = make_x(call, configuration, rows->shape().columns, host);
  const auto matrix = sparse::build_matrix(*rows, storage, backend);
  const base::MultiVector x_on_backend = x.to(backend);
  base::MultiVector y_on_backend(backend, rows->shape().rows, x.columns(), "the vectors y");
  const base::Stopwatch watch;
  matrix->multiply(1, x_on_backend.block(), 0, y_on_backend.block());
  backend.synchronize();
  const double seconds = watch.seconds();
  spdlog::info("{} on {}: {}", matrix->format(), backend.name(), base::human_seconds(seconds));

  const base::MultiVector y = y_on_backend.to(host);
  const job::ProductCheck check = job::check_product(*rows, x.block(), y.block(), host);
  if (call.output.empty())
    out << vectors_as_text(y.block());
  else
    write_text_file(call.output, vectors_as_text(y.block()), call.force);
  if (!check.passed) spdlog::error("{}", failure_of(check));
  return {check.passed ? ExitCode::success : ExitCode::verification_failed,
          record({{"problem", problem_record(configuration, rows->shape())},
                  {"operator", Json::object({{"format", matrix->format()},
                                             {"nonzeros", matrix->nonzeros()},
                                             {"bytes", matrix->memory().held}})},
                  {"backend", backend_record(backend)},
                  {"verification", verification_record(check)},
                  {"timings", Json::object({{"product_s", seconds}})}})};
}

CommandOutcome matrix_components(const Invocation& call, std::ostream& out) {
  constexpr Index most = 100'000;  // longer output is of no use
  const Configuration configuration = matrix_job(call);
  const base::Backend backend = job::open_backend(configuration.request);
  const auto rows = job::open_rows(configuration.request, backend.host());
  const sparse::FormatOptions storage =
      job::chosen_form(configuration.request, *rows, backend).storage;
  warn_of_unused_options(call, configuration, {storage.format}, {backend});
  const auto matrix = sparse::build_matrix(*rows, storage, backend);
  const Index stored = matrix->nonzeros() + matrix->memory().padding;
  if (stored > most && !call.force)
    base::fail(base::ErrorKind::usage, "the ", matrix->format(), " format stores ", stored,
               " elements of this matrix, but at most ", most,
               " are printed; add --force to print them all");
  out << format_title(std::string(matrix->format()), matrix->boundary()) << '\n';
  matrix->write_components(out);
  return {ExitCode::success, record({{"problem", problem_record(configuration, rows->shape())},
                                     {"format", matrix->format()},
                                     {"nonzeros", matrix->nonzeros()}})};
}

}  // namespace cisolve::app
