#include <algorithm>
#include <cmath>
#include <iostream>

#include "base/block_kernels.hpp"
#include "base/multivector.hpp"
#include "base/stopwatch.hpp"
#include "base/text.hpp"
#include "sparse/diagonal/layout.hpp"
#include "sparse/diagonal/matrix_product.hpp"
#include "sparse/stored/stored_matrix.hpp"

// bench_polynomial [BACKEND [ROWS]]: y = T_m(A) x, a Chebyshev polynomial of a diagonal matrix, by
// m products with A and by one product with T_m(A), built once. JSON on standard output.
namespace cisolve::bench {
namespace {

using base::Index;
using base::MultiVector;
using sparse::Diagonal;

/// The given diagonals, each with a constant value, so that |A| <= 1.
Diagonal stencil(Index rows, const std::vector<Index>& shifts, const base::Backend& backend) {
  const auto layout = sparse::lay_out(sparse::kDiagonal, {rows, rows, 0, false}, false, shifts);
  Diagonal matrix = sparse::allocate_diagonal(layout, backend.host());
  std::ranges::fill(matrix.values.span(), 1.0 / static_cast<double>(shifts.size()));
  matrix.elements = matrix.values.size();
  return matrix.to(backend);
}

Diagonal scaled(const Diagonal& matrix, double factor) {
  Diagonal here = matrix.to(matrix.values.backend().host());
  for (double& value : here.values.span()) value *= factor;
  return here.to(matrix.values.backend());
}

/// T_m = 2 A T_(m - 1) - T_(m - 2)
Diagonal polynomial(const Diagonal& a, int degree) {
  const Diagonal twice = scaled(a, 2);
  Diagonal before = stencil(a.shape.rows, {0}, a.values.backend());
  Diagonal now = scaled(a, 1);
  for (int m = 2; m <= degree; ++m) {
    const Diagonal minus = scaled(before, -1);
    Diagonal next = sparse::multiply({twice}, {now}, &minus);
    before = std::move(now);
    now = std::move(next);
  }
  return now;
}

using Stored = sparse::StoredMatrix<Diagonal>;

/// The result is in `y`.
void apply_repeatedly(const Stored& a, int degree, const MultiVector& x, MultiVector& spare,
                      MultiVector& y) {
  base::copy_bytes(a.backend(), x.block().data, a.backend(), spare.block().data,
                   x.rows() * Index{sizeof(double)});
  a.multiply(1, x.block(), 0, y.block());
  for (int m = 2; m <= degree; ++m) {
    a.multiply(2, y.block(), -1, spare.block());
    std::swap(spare, y);
  }
}

template <class Work>
double best_seconds(const base::Backend& backend, Work work) {
  double best = 1e9;
  for (int run = 0; run < 7; ++run) {
    backend.synchronize();
    const base::Stopwatch watch;
    work();
    backend.synchronize();
    best = std::min(best, watch.seconds());
  }
  return best;
}

double largest_difference(const MultiVector& a, const MultiVector& b) {
  const MultiVector here = a.to(base::Backend::reference());
  const MultiVector there = b.to(base::Backend::reference());
  double worst = 0;
  for (Index i = 0; i < here.rows(); ++i)
    worst = std::max(worst, std::abs(here(i, 0) - there(i, 0)));
  return worst;
}

std::string measure(const std::string& name, const std::vector<Index>& shifts, int degree,
                    Index rows, const base::Backend& backend) {
  Diagonal a = stencil(rows, shifts, backend);
  const base::Stopwatch watch;
  Diagonal built = polynomial(a, degree);
  backend.synchronize();
  const double build_seconds = watch.seconds();
  const Index diagonals = built.terms.size();
  const Stored one(std::move(a), backend, backend.kind());
  const Stored whole(std::move(built), backend, backend.kind());
  MultiVector x(backend, rows, 1);
  base::block_kernels(backend).randomise(backend, 1, x.block());
  MultiVector spare(backend, rows, 1);
  MultiVector repeated(backend, rows, 1);
  MultiVector at_once(backend, rows, 1);
  const double by_products =
      best_seconds(backend, [&] { apply_repeatedly(one, degree, x, spare, repeated); });
  const double by_polynomial =
      best_seconds(backend, [&] { whole.multiply(1, x.block(), 0, at_once.block()); });
  return base::concat("{\"operator\": \"", name, "\", \"degree\": ", degree, ", \"rows\": ", rows,
                      ", \"diagonals\": ", shifts.size(),
                      ", \"diagonals_of_polynomial\": ", diagonals,
                      ", \"build_s\": ", build_seconds, ", \"repeated_s\": ", by_products,
                      ", \"at_once_s\": ", by_polynomial,
                      ", \"difference\": ", largest_difference(repeated, at_once), "}");
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) try {
  using namespace cisolve;
  const base::Backend backend = base::Backend::by_name(argc > 1 ? argv[1] : "openmp", 0, {});
  const base::Index rows = argc > 2 ? std::stoll(argv[2]) : 1'000'000;
  const auto line = static_cast<base::Index>(std::sqrt(static_cast<double>(rows)));
  const std::pair<const char*, std::vector<base::Index>> operators[] = {
      {"chain", {-1, 0, 1}},
      {"band of 9", {-4, -3, -2, -1, 0, 1, 2, 3, 4}},
      {"plane", {-line, -1, 0, 1, line}}};
  bool first = true;
  for (const auto& [name, shifts] : operators)
    for (const int degree : {2, 4, 8}) {
      std::cout << (first ? "[\n" : ",\n") << bench::measure(name, shifts, degree, rows, backend)
                << std::flush;
      first = false;
    }
  std::cout << "]\n";
} catch (const std::exception& error) {
  std::cerr << "bench_polynomial: " << error.what() << '\n';
  return 1;
}
