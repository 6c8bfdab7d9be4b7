#include <iostream>
#include <string>

#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "base/multivector.hpp"
#include "base/stopwatch.hpp"
#include "bench/timing.hpp"
#include "ci/hamiltonian/direct.hpp"
#include "ci/hamiltonian/hamiltonian.hpp"
#include "ci/spaces/spaces.hpp"
#include "io/molecules/fcidump.hpp"
#include "sparse/stored/matrix.hpp"

// ci_build BACKEND FCIDUMP LEVEL [ELECTRONS]: builds the Hamiltonian of an integral file in each
// format and multiplies with it. LEVEL is the highest excitation, 0 full CI; ELECTRONS is for files
// that do not say. Times are in seconds, each build from tables that stand.
namespace cisolve::bench {
namespace {

using base::Index;

constexpr int kRepeat = 5;
constexpr int kProducts = 100;

/// What came between the last call and this one.
double lap(base::Stopwatch& last) {
  const double seconds = last.seconds();
  last = base::Stopwatch();
  return seconds;
}

ci::Space space_of(const io::MolecularProblem& problem, int level, const base::Backend& host) {
  const ci::Sector sector{problem.integrals.orbitals(), problem.alpha, problem.beta};
  if (level == 0) return ci::full_ci(sector, host);
  const std::vector<ci::Determinant> references = {ci::aufbau(problem.alpha, problem.beta)};
  return ci::excited_space(sector, references, ci::levels_up_to(level), host);
}

void measure(const sparse::RowSource& rows, const std::string& format,
             const base::Backend& backend) {
  std::vector<double> seconds;
  std::unique_ptr<sparse::SparseMatrix> matrix;
  for (int i = 0; i < kRepeat; ++i) {
    matrix.reset();
    const base::Stopwatch watch;
    matrix = sparse::build_matrix(rows, {.format = format}, backend);
    backend.synchronize();
    seconds.push_back(watch.seconds());
  }
  const double first = seconds.front();
  std::ranges::sort(seconds);
  const base::BlockKernels& kernels = base::block_kernels(backend);
  base::MultiVector x(backend, matrix->rows(), 1);
  base::MultiVector y(backend, matrix->rows(), 1);
  kernels.randomise(backend, 1, x.block());
  const double product =
      median_seconds(backend, kProducts, [&] { matrix->multiply(1, x.block(), 0, y.block()); });
  std::cout << "  {\"format\": \"" << format << "\", \"built_by\": \""
            << base::name_of(matrix->built_by()) << "\", \"nonzeros\": " << matrix->nonzeros()
            << ", \"bytes\": " << matrix->memory().held << ", \"first_build_s\": " << first
            << ", \"build_s\": " << seconds[kRepeat / 2]
            << ", \"hundred_products_s\": " << 100 * product << "}";
}

void run(const std::string& name, const std::string& file, int level, int electrons) {
  base::Stopwatch last;
  const base::Backend backend = base::Backend::by_name(name, 0, {});
  const double start = lap(last);
  const base::Backend host = backend.host();
  io::FcidumpOptions options;
  if (electrons > 0) options = {.electrons = electrons, .ms2 = electrons % 2};
  const io::MolecularProblem problem = io::read_fcidump(file, options, host);
  const double read = lap(last);
  const ci::Space space = space_of(problem, level, host);
  const double enumerate = lap(last);
  const ci::Partition canonical(host);
  const ci::HamiltonianRows rows(space, problem.integrals, canonical);
  const double tables = lap(last);
  std::cout << "{\"benchmark\": \"ci_build\", \"backend\": \"" << backend.name()
            << "\", \"device\": \"" << backend.description()
            << "\", \"dimension\": " << space.dimension() << ", \"backend_s\": " << start
            << ", \"read_s\": " << read << ", \"space_s\": " << enumerate
            << ", \"tables_s\": " << tables << ", \"formats\": [\n";
  measure(rows, "csr", backend);
  std::cout << ",\n";
  measure(rows, "hybrid", backend);
  std::cout << ",\n";
  measure(rows, "tiled", backend);
  last = base::Stopwatch();
  std::unique_ptr<base::LinearOperator> direct;
  if (backend.is_host())
    direct = std::make_unique<ci::DirectOperator>(space, problem.integrals);
  else
    direct = ci::direct_operator_on(backend, space, problem.integrals);
  backend.synchronize();
  std::cout << "], \"direct_s\": " << lap(last);
  base::MultiVector x(backend, space.dimension(), 1);
  base::MultiVector y(backend, space.dimension(), 1);
  base::block_kernels(backend).randomise(backend, 1, x.block());
  const auto multiply = [&] { direct->apply(x.block(), y.block()); };
  std::cout << ", \"direct_product_s\": " << median_seconds(backend, 3, multiply) << "}\n";
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::cerr << "usage: " << argv[0] << " BACKEND FCIDUMP LEVEL [ELECTRONS]\n";
    return 2;
  }
  cisolve::bench::run(argv[1], argv[2], std::stoi(argv[3]), argc > 4 ? std::stoi(argv[4]) : 0);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
