#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "base/multivector.hpp"
#include "base/stopwatch.hpp"
#include "bench/timing.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "io/molecules/fcidump.hpp"
#include "sparse/stored/matrix.hpp"

// ci_build BACKEND FCIDUMP LEVEL [ELECTRONS [FORMATS [BUILDS]]]: builds the Hamiltonian of an
// integral file in each format and multiplies with it. LEVEL is the highest excitation, 0 for full
// CI; ELECTRONS is for files without the number, else 0. FORMATS is a list such as
// csr,tiled-coded:4: coded values, for products with four vectors. Times are in seconds, each build
// from existing tables; next to them the largest difference from the product without a matrix,
// relative to its largest element.
namespace cisolve::bench {
namespace {

using base::Index;

constexpr int kProductsPerBuild = 20;

/// A format to measure: "csr", "tiled-coded", "tiled-coded:4".
struct Measured {
  std::string name;
  sparse::FormatOptions options;
};

Measured measured(const std::string& name) {
  const std::size_t colon = name.find(':');
  Measured one{name, {.format = name.substr(0, colon)}};
  if (colon != std::string::npos) one.options.vectors = std::stoi(name.substr(colon + 1));
  const std::string_view coded = "-coded";
  if (one.options.format.ends_with(coded)) {
    one.options.values = sparse::ValueEncoding::coded;
    one.options.format.resize(one.options.format.size() - coded.size());
  }
  return one;
}

std::vector<Measured> measured_list(const std::string& names) {
  std::vector<Measured> list;
  std::istringstream text(names);
  for (std::string name; std::getline(text, name, ',');) list.push_back(measured(name));
  return list;
}

/// Vectors, and their products computed without a matrix.
struct Products {
  base::MultiVector x;
  base::MultiVector y;
};

/// The largest difference of two blocks, relative to the largest element.
double difference(const base::MultiVector& found, const base::MultiVector& expected, int vectors,
                  const base::Backend& host) {
  const base::MultiVector a = found.to(host);
  const base::MultiVector b = expected.to(host);
  double largest = 0;
  double difference = 0;
  for (int j = 0; j < vectors; ++j)
    for (Index i = 0; i < a.rows(); ++i) {
      largest = std::max(largest, std::abs(b(i, j)));
      difference = std::max(difference, std::abs(a(i, j) - b(i, j)));
    }
  return difference / largest;
}

/// Seconds since the last call.
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

void measure(const sparse::RowSource& rows, const Measured& what, int builds,
             const Products& products, const base::Backend& backend) {
  std::vector<double> seconds;
  std::unique_ptr<sparse::SparseMatrix> matrix;
  for (int i = 0; i < builds; ++i) {
    matrix.reset();
    const base::Stopwatch watch;
    matrix = sparse::build_matrix(rows, what.options, backend);
    backend.synchronize();
    seconds.push_back(watch.seconds());
  }
  const double first = seconds.front();
  std::ranges::sort(seconds);
  const int vectors = what.options.vectors;
  base::MultiVector y(backend, matrix->rows(), vectors);
  const base::ConstBlock x = products.x.block(0, vectors);
  const double product = median_seconds(backend, kProductsPerBuild * builds,
                                        [&] { matrix->multiply(1, x, 0, y.block()); });
  std::cout << "  {\"format\": \"" << what.name << "\", \"held_as\": \""
            << matrix->description().format << "\", \"built_by\": \""
            << base::name_of(matrix->built_by()) << "\", \"nonzeros\": " << matrix->nonzeros()
            << ", \"bytes\": " << matrix->memory().held << ", \"first_build_s\": " << first
            << ", \"build_s\": " << seconds[builds / 2]
            << ", \"hundred_products_s\": " << 100 * product
            << ", \"differs_by\": " << difference(y, products.y, vectors, backend.host()) << "}"
            << std::flush;
}

void run(const std::string& name, const std::string& file, int level, int electrons,
         const std::vector<Measured>& formats, int builds) {
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
            << ", \"tables_s\": " << tables;
  int vectors = 1;
  for (const Measured& what : formats) vectors = std::max(vectors, what.options.vectors);
  Products products{{backend, space.dimension(), vectors}, {backend, space.dimension(), vectors}};
  base::block_kernels(backend).randomise(backend, 1, products.x.block());
  last = base::Stopwatch();
  std::unique_ptr<base::LinearOperator> direct;
  if (backend.is_host())
    direct = std::make_unique<ci::OracleOperator>(space, problem.integrals);
  else
    direct = ci::oracle_operator_on(backend, space, problem.integrals);
  backend.synchronize();
  std::cout << ", \"direct_s\": " << lap(last);
  const auto multiply = [&] { direct->apply(products.x.block(0, 1), products.y.block(0, 1)); };
  std::cout << ", \"direct_product_s\": " << median_seconds(backend, 3, multiply);
  direct->apply(products.x.block(), products.y.block());
  direct.reset();
  const char* before = ", \"formats\": [\n";
  for (const Measured& what : formats) {
    std::cout << before;
    measure(rows, what, builds, products, backend);
    before = ",\n";
  }
  std::cout << "]}\n";
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::cerr << "usage: " << argv[0] << " BACKEND FCIDUMP LEVEL [ELECTRONS [FORMATS [BUILDS]]]\n";
    return 2;
  }
  cisolve::bench::run(argv[1], argv[2], std::stoi(argv[3]), argc > 4 ? std::stoi(argv[4]) : 0,
                      cisolve::bench::measured_list(argc > 5 ? argv[5] : "csr,hybrid,tiled"),
                      argc > 6 ? std::stoi(argv[6]) : 5);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
