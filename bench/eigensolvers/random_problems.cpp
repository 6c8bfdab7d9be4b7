#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.hpp"
#include "bench/eigensolvers/test_problems.hpp"

namespace cisolve::bench {
namespace {

struct Shape {
  Index rows;
  int pairs_a_row;  // random couplings that begin in a row
  double coupling;  // the largest
  double bend;      // exponent of the diagonal span (i / rows)^bend, thin at the low end
  int states;
};

constexpr double kSpan = 10;

/// The shape of a seed: sizes by orders of magnitude, the rest evenly.
Shape shape_of(std::uint64_t seed) {
  base::RandomStream random(seed, 1);
  Shape shape{};
  shape.rows = static_cast<Index>(600 * std::pow(40, random.uniform()));
  shape.pairs_a_row = 4 + static_cast<int>(random.below(20));
  shape.coupling = 0.05 + 0.35 * random.uniform();
  shape.bend = 0.25 + 0.25 * random.uniform();
  shape.states = 1 + static_cast<int>(seed % 6);
  return shape;
}

sparse::Csr random_matrix(const Shape& shape, std::uint64_t seed, const base::Backend& host) {
  base::RandomStream random(seed, 2);
  std::vector<std::vector<std::pair<sparse::Column, double>>> rows(shape.rows);
  for (Index i = 0; i < shape.rows; ++i) {
    const double place = static_cast<double>((i * 7919 + 1) % shape.rows + 1);  // a fixed shuffle
    const double level = kSpan * std::pow(place / static_cast<double>(shape.rows), shape.bend);
    rows[i].emplace_back(static_cast<sparse::Column>(i), level + 0.05 * random.uniform());
  }
  for (Index i = 0; i < shape.rows; ++i)
    for (int k = 0; k < shape.pairs_a_row; ++k) {
      const auto j = static_cast<Index>(random.below(shape.rows));
      const double value = shape.coupling * (2 * random.uniform() - 1);
      if (j == i) continue;
      rows[i].emplace_back(static_cast<sparse::Column>(j), value);
      rows[j].emplace_back(static_cast<sparse::Column>(i), value);
    }
  Index nonzeros = 0;
  for (auto& row : rows) {
    std::ranges::stable_sort(row, {}, &std::pair<sparse::Column, double>::first);
    std::size_t kept = 0;
    for (std::size_t k = 1; k < row.size(); ++k)  // duplicates are added up
      if (row[k].first == row[kept].first)
        row[kept].second += row[k].second;
      else
        row[++kept] = row[k];
    row.resize(kept + 1);
    nonzeros += std::ssize(row);
  }
  sparse::Csr matrix = sparse::allocate_csr({shape.rows, shape.rows, 0, true}, nonzeros, host);
  Index k = 0;
  for (Index i = 0; i < shape.rows; ++i) {
    matrix.offsets[i] = k;
    for (const auto& [column, value] : rows[i]) {
      matrix.columns[k] = column;
      matrix.values[k++] = value;
    }
  }
  matrix.offsets[shape.rows] = k;
  return matrix;
}

}  // namespace

std::vector<TestProblem> random_problems(const base::Backend& host) {
  constexpr std::uint64_t kProblems = 20;
  std::vector<TestProblem> problems;
  for (std::uint64_t seed = 1; seed <= kProblems; ++seed) {
    const Shape shape = shape_of(seed);
    problems.push_back({"random " + std::to_string(seed), "random",
                        std::make_shared<sparse::Csr>(random_matrix(shape, seed, host)),
                        shape.states});
  }
  return problems;
}

}  // namespace cisolve::bench
