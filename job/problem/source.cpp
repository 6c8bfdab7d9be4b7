#include "job/problem/source.hpp"

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "io/files/mapped_file.hpp"
#include "io/matrices/matrix_file.hpp"
#include "job/problem/lattice_problem.hpp"
#include "job/problem/problem_in_memory.hpp"
#include "job/request/with_context.hpp"
#include "sparse/formats/csr.hpp"
#include "sparse/formats/symmetry.hpp"
#include "sparse/rows/forwarded_rows.hpp"
#include "sparse/rows/threshold.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::job {
namespace {

/// A matrix from a file, with the memory that holds it.
class FileRows final : public sparse::ForwardedRows {
 public:
  explicit FileRows(sparse::Csr matrix) : matrix_(std::move(matrix)), rows_(matrix_) {}

 private:
  const sparse::RowSource& inner() const override { return rows_; }

  sparse::Csr matrix_;
  sparse::CsrRows rows_;
};

// All states are equally near to an energy that large.
void require_near(const Request& request) {
  if (!request.solver.near) return;
  const double size = std::abs(*request.solver.near);
  const double spacing = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  if (spacing <= request.solver.tolerance) return;
  base::fail(base::ErrorKind::configuration, request.origin, ": solver.near is ",
             *request.solver.near, ", where numbers are ", spacing,
             " apart, more than solver.tolerance, ", request.solver.tolerance,
             "; expected an energy within the spectrum of the problem");
}

std::unique_ptr<sparse::GeneratedRows> generated_rows(const Request& request,
                                                      const base::Backend& host) {
  return with_context(request.origin + ": problem.generate", [&] {
    return std::make_unique<sparse::GeneratedRows>(generator_options(request), host);
  });
}

}  // namespace

sparse::GeneratorOptions generator_options(const Request& request) {
  constexpr double paper_reference_density = 0.2;
  sparse::GeneratorOptions options = request.generate;
  const Index reference = sparse::reference_columns(options);
  if (options.reference_per_row == sparse::kAutomatic)
    options.reference_per_row =
        static_cast<Index>(paper_reference_density * static_cast<double>(reference));
  if (options.spread == sparse::kAutomatic) {
    const double mean = options.density * static_cast<double>(options.rows - reference);
    options.spread = std::sqrt(mean * (1 - options.density));
  }
  return options;
}

namespace {

ProblemRows open_all_rows(const Request& request, const base::Backend& host,
                          FeasibilityCheck* feasibility) {
  if (has_determinants(request) && request.space.kind == SpaceKind::selected)
    base::fail(base::ErrorKind::configuration, request.origin, ": space.kind is ",
               word_of(request.space.kind),
               ", whose determinants are selected during a solution; expected another "
               "kind, or run ci-solve with this configuration");
  if (request.source == ProblemSource::matrix) {
    if (feasibility != nullptr)
      if (const auto ahead = io::peek_shape(request.matrix)) feasibility->require(*ahead);
    sparse::Csr matrix = io::read_matrix(request.matrix, host);
    if (request.reference_columns) matrix.shape.reference_columns = *request.reference_columns;
    sparse::require_storable(matrix.shape);
    return std::make_unique<FileRows>(std::move(matrix));
  }
  if (request.source == ProblemSource::rows) {
    require_given(request);
    return std::make_unique<GivenRows>(request.rows);
  }
  if (has_determinants(request))
    return std::make_unique<DeterminantRows>(request, host, feasibility);
  if (is_site_basis(request)) return std::make_unique<SiteProblemRows>(request, host, feasibility);
  if (feasibility != nullptr) feasibility->require(generator_options(request));
  return generated_rows(request, host);
}

}  // namespace

ProblemRows open_rows(const Request& request, const base::Backend& host,
                      FeasibilityCheck* feasibility) {
  ProblemRows rows = open_all_rows(request, host, feasibility);
  const double threshold = request.elements.threshold;
  if (threshold == 0 || has_determinants(request))
    return rows;  // the Hamiltonian applies it itself
  return std::make_unique<sparse::ThresholdRows>(rows.take(), threshold);
}

void require_possible_problem(const Request& request, const base::Backend& host) {
  if (has_determinants(request)) return require_possible_molecule(request, host);
  if (is_site_basis(request)) return require_possible_spins(request);
  if (request.source == ProblemSource::matrix) return io::require_regular_file(request.matrix);
  if (request.source == ProblemSource::rows) return require_given(request);
  generated_rows(request, host);
}

void require_solvable(const sparse::RowSource& rows, const Request& request,
                      const base::Backend& host) {
  require_near(request);
  const sparse::MatrixShape shape = rows.shape();
  if (shape.rows == 0)
    base::fail(base::ErrorKind::bad_input, describe_source(request),
               ": a matrix of dimension 0 has no states; expected at least one row");
  if (shape.symmetric) return;
  sparse::require_symmetric(sparse::build_csr(rows, host), describe_source(request), host);
}

std::string describe_source(const Request& request) {
  if (request.source == ProblemSource::matrix) return request.matrix;
  if (request.source == ProblemSource::fcidump) return request.fcidump;
  if (request.source == ProblemSource::integrals) return "integrals in memory";
  if (request.source == ProblemSource::rows) return "rows in memory";
  if (request.source == ProblemSource::trexio) return request.trexio;
  if (request.source == ProblemSource::lattice) return describe_lattice(request);
  return base::concat("generated, seed ", request.generate.seed);
}

}  // namespace cisolve::job
