#include <algorithm>
#include <iostream>
#include <random>
#include <set>

#include "base/stopwatch.hpp"
#include "base/text.hpp"
#include "bench/diagonal/rivals.hpp"

// bench_diagonal: products of diagonal matrices as in the 2024 paper's tables, compared with
// cuSPARSE and the paper's own algorithm. JSON on standard output; docs/benchmarks.md is the
// manual.
namespace cisolve::bench {
namespace {

using sparse::Diagonal;

struct Case {
  std::string name;
  Index rows;
  Index diagonals_a;
  Index diagonals_b;
  Index reach;  // range of the shifts; 0: next to the main diagonal
};

const std::vector<Case>& cases() {
  static const std::vector<Case> list{
      {"table1-1000", 1000, 9, 5, 900},         {"table1-10000", 10000, 109, 35, 2510},
      {"table2-200", 10000, 200, 200, 2510},    {"table2-300", 10000, 300, 300, 2510},
      {"table2-400", 10000, 400, 400, 2510},    {"table2-500", 10000, 500, 500, 2510},
      {"table2-600", 10000, 600, 600, 2510},    {"band-1024-11", 1024, 11, 11, 0},
      {"band-10240-11", 10240, 11, 11, 0},      {"band-10240-41", 10240, 41, 41, 0},
      {"band-100000-101", 100000, 101, 101, 0}, {"band-100000-201", 100000, 201, 201, 0},
      {"band-100000-401", 100000, 401, 401, 0}, {"gaps-100000-201", 100000, 201, 201, 200},
      {"large-9", 4'194'304, 9, 9, 0},          {"large-random-9", 4'194'304, 9, 9, 100'000}};
  return list;
}

std::vector<Index> shifts_of(Index rows, Index count, Index reach, unsigned seed) {
  std::set<Index> shifts{0};
  std::mt19937_64 random(seed);
  for (Index k = 1; std::ssize(shifts) < count; ++k) {
    if (reach == 0)
      shifts.insert(k % 2 == 1 ? (k + 1) / 2 : -k / 2);
    else
      shifts.insert(static_cast<Index>(random() % static_cast<std::uint64_t>(2 * reach + 1)) -
                    reach);
  }
  std::erase_if(shifts, [&](Index shift) { return std::abs(shift) >= rows; });
  return {shifts.begin(), shifts.end()};
}

Diagonal matrix_of(Index rows, const std::vector<Index>& shifts, const base::Backend& host,
                   std::uint64_t seed) {
  const auto layout = sparse::lay_out(sparse::kDiagonal, {rows, rows, 0, false}, false, shifts);
  Diagonal matrix = sparse::allocate_diagonal(layout, host);
  matrix.elements = matrix.values.size();
#pragma omp parallel for
  for (Index i = 0; i < matrix.values.size(); ++i) {
    std::uint64_t z = (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9ULL;
    matrix.values[i] = static_cast<double>(z >> 11) * 0x1.0p-52 - 1;
  }
  return matrix;
}

std::string json_of(const Measured& m) {
  if (!m.failed.empty())
    return base::concat("{\"name\": \"", m.name, "\", \"failed\": \"", m.failed, "\"}");
  return base::concat("{\"name\": \"", m.name, "\", \"seconds\": ", m.seconds,
                      ", \"value_seconds\": ", m.value_seconds, ", \"error\": ", m.error, "}");
}

std::string run(const Case& c, const base::Backend& device, bool shapes, bool alone) {
  const base::Backend host = device.host();
  const Diagonal a = matrix_of(c.rows, shifts_of(c.rows, c.diagonals_a, c.reach, 1), host, 1);
  const Diagonal b = matrix_of(c.rows, shifts_of(c.rows, c.diagonals_b, c.reach, 2), host, 2);
  const base::Stopwatch host_watch;
  const Diagonal expected = sparse::multiply({a}, {b});
  const double host_seconds = host_watch.seconds();
  const Diagonal there_a = a.to(device);
  const Diagonal there_b = b.to(device);
  std::vector<Measured> list{{.name = "openmp", .seconds = host_seconds}};
  const base::Stopwatch watch;
  const sparse::DiagonalProductPlan product({there_a}, {there_b});
  Diagonal result = product.allocate();
  product.multiply(there_a, there_b, 0, result);
  device.synchronize();
  Measured ours{.name = "diagonal", .seconds = watch.seconds()};
  ours.value_seconds =
      best_seconds(device, 10, [&] { product.multiply(there_a, there_b, 0, result); });
  ours.error = error_of(result, expected);
  list.push_back(ours);
  std::ranges::move(all_algorithms(product, there_a, there_b, expected), std::back_inserter(list));
  if (shapes)
    std::ranges::move(shaped_products(product, there_a, there_b, result, expected),
                      std::back_inserter(list));
  else
    for (const int threads : {1, 4, 13})
      list.push_back(paper_product(there_a, there_b, result, threads, expected));
  if (!shapes && !alone) {
    for (const Index block : {64, 128, 256})
      list.push_back(cublas_product(product, there_a, there_b, expected, block));
    const sparse::Csr rows_a = sparse::build_csr(sparse::DiagonalRows(a), host);
    const sparse::Csr rows_b = sparse::build_csr(sparse::DiagonalRows(b), host);
    std::ranges::move(cusparse_products(rows_a, rows_b, device, expected),
                      std::back_inserter(list));
  }
  double multiply_adds = 0;
  const sparse::ProductPairs& pairs = product.pairs();
  for (Index k = 0; k < std::ssize(pairs.outputs); ++k)
    for (Index t = pairs.offsets[k]; t < pairs.offsets[k + 1]; ++t)
      multiply_adds +=
          static_cast<double>(std::max<Index>(0, pairs.last_row(k, t) - pairs.first_row(k, t)));
  std::string text = base::concat(
      "{\"case\": \"", c.name, "\", \"rows\": ", c.rows, ", \"nonzeros_a\": ", a.elements,
      ", \"nonzeros_b\": ", b.elements, ", \"nonzeros_c\": ", expected.elements,
      ", \"multiply_adds\": ", multiply_adds, ",\n \"products\": [");
  for (std::size_t i = 0; i < list.size(); ++i)
    text += base::concat(i == 0 ? "\n  " : ",\n  ", json_of(list[i]));
  return text + "]}";
}

/// Bands and scattered diagonals, stored whole and by half.
std::string vector_records(const base::Backend& device) {
  constexpr Index rows = 4'194'304;
  std::string text = "[";
  for (const Index count : {9, 27, 101})
    for (const Index reach : {0, 2'000, 1'000'000})
      for (const bool half : {false, true})
        if (!half || reach == 0)
          text += (text.size() > 1 ? ",\n" : "\n") +
                  vector_shapes(device, shifts_of(rows, count, reach, 1), rows, reach, half);
  return text + "]\n";
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) try {
  using namespace cisolve;
  const base::Backend device = base::Backend::by_name("cuda", 0, {});
  std::vector<std::string> names(argv + 1, argv + argc);
  const bool shapes = std::erase(names, "--shapes") > 0;
  const bool alone = std::erase(names, "--alone") > 0;
  if (std::erase(names, "--vectors") > 0) {
    std::cout << bench::vector_records(device);
    return 0;
  }
  bool first = true;
  std::cout << "[";
  for (const bench::Case& c : bench::cases())
    if (names.empty() || std::ranges::count(names, c.name) > 0) {
      std::cout << (first ? "" : ",") << '\n' << bench::run(c, device, shapes, alone) << std::flush;
      first = false;
    }
  std::cout << "]\n";
} catch (const std::exception& error) {
  std::cerr << "bench_diagonal: " << error.what() << '\n';
  return 1;
}
