#include <iostream>
#include <string>

#include "base/error.hpp"
#include "solver/methods/solve.hpp"
#include "sparse/generate/generator.hpp"
#include "sparse/stored/matrix.hpp"

// davidson_share BACKEND ROWS NONZEROS_PER_ROW ITERATIONS: the fraction of a block Davidson run,
// with four vectors per product and a search space of 40, that is spent outside the operator.
namespace {

using namespace cisolve;
using base::Index;

void run(const std::string& name, Index rows, Index per_row, int iterations) {
  const base::Backend backend = base::Backend::by_name(name, 0, {});
  sparse::GeneratorOptions generator;
  generator.rows = rows;
  generator.reference_share = 0.1;
  // Symmetry puts as many again into the first tenth of the rows.
  generator.reference_per_row = per_row / 8;
  generator.density = static_cast<double>(per_row) * 0.75 / (0.9 * static_cast<double>(rows));
  generator.spread = 20;
  generator.symmetric = true;
  const auto matrix = sparse::build_matrix(sparse::GeneratedRows(generator, backend.host()),
                                           {.format = "hybrid"}, backend);
  solver::Options options;
  options.method = solver::Method::davidson;
  options.states = 4;
  options.block_width = 4;
  options.max_subspace = 40;
  options.tolerance = 1e-14;  // the iterations, not the tolerance, end the run
  options.max_iterations = iterations;
  options.search = solver::SearchEffort::none;
  const auto result = solver::solve({*matrix, backend}, options);
  const double outside = result.seconds - result.product_seconds;
  const double per_product = result.product_seconds / static_cast<double>(result.products);
  std::cout << "{\"benchmark\": \"davidson_share\", \"backend\": \"" << backend.name()
            << "\", \"device\": \"" << backend.description() << "\", \"rows\": " << rows
            << ", \"nonzeros\": " << matrix->nonzeros() << ", \"iterations\": " << result.iterations
            << ", \"products\": " << result.products << ", \"seconds\": " << result.seconds
            << ", \"product_seconds\": " << result.product_seconds
            << ", \"ms_per_vector_product\": " << per_product * 1e3
            << ", \"share_outside\": " << outside / result.seconds << "}\n";
}

}  // namespace

int main(int argc, char** argv) try {
  run(argc > 1 ? argv[1] : "auto", argc > 2 ? std::stoll(argv[2]) : 1000000,
      argc > 3 ? std::stoll(argv[3]) : 300, argc > 4 ? std::stoi(argv[4]) : 40);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
