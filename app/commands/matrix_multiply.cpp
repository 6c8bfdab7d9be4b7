#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/report/records.hpp"
#include "app/runs/folder.hpp"
#include "base/block_kernels.hpp"
#include "base/multivector.hpp"
#include "base/number.hpp"
#include "base/stopwatch.hpp"
#include "io/matrices/matrix_file.hpp"
#include "job/problem/source.hpp"
#include "job/request/elements.hpp"
#include "sparse/diagonal/matrix_product.hpp"
#include "sparse/formats/csr_product.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/rows/profile.hpp"

// C = A B into a file: by diagonals if these are few and full or requested, else row by row on the
// host.
namespace cisolve::app {
namespace {

using Sums = std::vector<long double>;

/// A x, and the sums of |a||x| of each row.
struct SummedProduct {
  Sums sums;
  Sums magnitudes;
};

SummedProduct summed(const sparse::RowSource& rows, const SummedProduct& x,
                     const base::Backend& host) {
  const Index count = rows.shape().rows;
  SummedProduct y{Sums(count), Sums(count)};
  const auto lengths = sparse::row_lengths(rows, host);
  sparse::for_each_row(rows, lengths.span(), host, [&](const sparse::Row& row) {
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      y.sums[row.number] += row.values[k] * x.sums[row.columns[k]];
      y.magnitudes[row.number] += std::abs(row.values[k]) * x.magnitudes[row.columns[k]];
    }
  });
  return y;
}

SummedProduct random_vector(Index rows, const base::Backend& host) {
  base::MultiVector x(host, rows, 1);
  base::block_kernels(host).randomise(host, 1, x.block());
  SummedProduct vector;
  for (Index i = 0; i < rows; ++i) {
    vector.sums.push_back(x(i, 0));
    vector.magnitudes.push_back(std::abs(x(i, 0)));
  }
  return vector;
}

/// Largest |C x - A (B x)| relative to |A||B||x| for a random x, computed from the rows.
double error_of_product(const sparse::RowSource& a, const sparse::RowSource& b,
                        const sparse::RowSource& c, const base::Backend& host) {
  const SummedProduct x = random_vector(b.shape().columns, host);
  const SummedProduct expected = summed(a, summed(b, x, host), host);
  const SummedProduct found = summed(c, x, host);
  long double worst = 0;
  for (Index i = 0; i < c.shape().rows; ++i) {
    const long double difference = std::abs(found.sums[i] - expected.sums[i]);
    if (difference == 0) continue;
    worst =
        std::isnan(difference) ? difference : std::max(worst, difference / expected.magnitudes[i]);
    if (std::isnan(worst)) break;
  }
  return static_cast<double>(worst);
}

/// The diagonal format for both matrices; nothing if they are multiplied by rows.
std::optional<std::string> diagonals_for(const Configuration& configuration,
                                         const sparse::RowSource& a, const sparse::RowSource& b,
                                         const base::Backend& host) {
  const std::string& named = configuration.request.storage.format;
  if (named == sparse::kDiagonal || named == sparse::kCompactDiagonal) return named;
  const auto is_packed = [&](const sparse::RowSource& rows) {
    return sparse::sample_profile(rows, 1, host).has_diagonals();
  };
  if (!job::names_format(configuration.request) && is_packed(a) && is_packed(b))
    return std::string(sparse::kDiagonal);
  return std::nullopt;
}

struct Written {
  sparse::MatrixShape shape;
  Index nonzeros = 0;
  double seconds = 0;  // time of the product alone
  double error = 0;
  std::string backend;
};

Written multiply_diagonals(const std::string& format, const sparse::RowSource& a,
                           const sparse::RowSource& b, const base::Backend& backend,
                           const Invocation& call) {
  const base::Backend host = backend.host();
  const auto stored = [&](const sparse::RowSource& rows) {
    return sparse::build_diagonal(rows, {.format = format}, host).to(backend);
  };
  const sparse::Diagonal left = stored(a);
  const sparse::Diagonal right = stored(b);
  const base::Stopwatch watch;
  const sparse::Diagonal there = sparse::multiply({left}, {right});
  backend.synchronize();
  const double seconds = watch.seconds();
  const sparse::Diagonal product = there.to(host);
  const sparse::DiagonalRows rows(product);
  io::write_matrix(call.output, rows, {.overwrite = call.force}, host);
  return {product.shape, product.elements, seconds, error_of_product(a, b, rows, host),
          std::string(backend.name())};
}

Written multiply_rows(const sparse::RowSource& a, const sparse::RowSource& b,
                      const base::Backend& host, const Invocation& call) {
  const sparse::Csr left = sparse::build_csr(a, host);
  const sparse::Csr right = sparse::build_csr(b, host);
  const base::Stopwatch watch;
  const sparse::Csr product = sparse::multiply(left, right, host);
  const double seconds = watch.seconds();
  const sparse::CsrRows rows(product);
  io::write_matrix(call.output, rows, {.overwrite = call.force}, host);
  return {product.shape, product.nonzeros(), seconds, error_of_product(a, b, rows, host),
          std::string(host.name())};
}

}  // namespace

CommandOutcome matrix_multiply(const Invocation& call, std::ostream& out) {
  constexpr double allowed = 1e-13;
  if (call.output.empty())
    base::fail(base::ErrorKind::usage, "the product of two matrices needs an output file; ",
               "expected --output FILE");
  Invocation second = call;
  second.input = call.second;
  const Configuration of_a = matrix_job(call);
  const Configuration of_b = matrix_job(second);
  const base::Backend backend = job::open_backend(of_a.request);
  const base::Backend host = backend.host();
  with_problem_errors_first(of_a, host, [&] { require_writable(call.output, call.force); });
  const auto a = job::open_rows(of_a.request, host);
  const auto b = job::open_rows(of_b.request, host);
  const std::optional<std::string> diagonals = diagonals_for(of_a, *a, *b, host);
  const std::string format = diagonals.value_or("csr");
  const Written c = diagonals ? multiply_diagonals(*diagonals, *a, *b, backend, call)
                              : multiply_rows(*a, *b, host, call);
  const bool passed = c.error <= allowed;
  out << call.output << ": " << base::grouped(c.shape.rows) << " x "
      << base::grouped(c.shape.columns) << ", " << base::grouped(c.nonzeros)
      << " non-zeros, multiplied as " << format << " on " << c.backend << " in "
      << base::human_seconds(c.seconds) << ", "
      << (passed ? "verified" : "WRONG: it differs from A (B x)") << '\n';
  return {passed ? ExitCode::success : ExitCode::verification_failed,
          record({{"a", problem_record(of_a, a->shape())},
                  {"b", problem_record(of_b, b->shape())},
                  {"file", call.output},
                  {"format", format},
                  {"backend", c.backend},
                  {"rows", c.shape.rows},
                  {"columns", c.shape.columns},
                  {"nonzeros", c.nonzeros},
                  {"verification", Json::object({{"passed", passed}, {"max_error", c.error}})},
                  {"timings", Json::object({{"product_s", c.seconds}})}})};
}

}  // namespace cisolve::app
