#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sparse/rows/row_source.hpp"

namespace cisolve::test {

using base::Column;
using base::Index;

/// A matrix as a list of elements: the oracle, which shares no code with any format.
struct Elements {
  sparse::MatrixShape shape;
  std::map<std::pair<Index, Index>, double> at;
};

/// Rows of such a matrix as a source.
class ElementRows final : public sparse::RowSource {
 public:
  explicit ElementRows(const Elements& elements) : shape_(elements.shape), rows_(shape_.rows) {
    for (const auto& [place, value] : elements.at)
      rows_[place.first].emplace_back(static_cast<Column>(place.second), value);
  }
  sparse::MatrixShape shape() const override { return shape_; }
  Index grain() const override { return 7; }  // not a power of two
  void count(Index first, std::span<Column> lengths) const override {
    for (Column& length : lengths) length = static_cast<Column>(rows_[first++].size());
  }
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override {
    std::size_t k = 0;
    for (Index row = first; row < last; ++row)
      for (const auto& [column, value] : rows_[row]) {
        columns[k] = column;
        values[k++] = value;
      }
  }

 private:
  sparse::MatrixShape shape_;
  std::vector<std::vector<std::pair<Column, double>>> rows_;
};

/// Rows of the given lengths at random columns.
inline Elements random_elements(const std::vector<Index>& lengths, Index columns, unsigned seed) {
  Elements matrix{{static_cast<Index>(lengths.size()), columns, columns / 10, false}, {}};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  for (Index row = 0; row < matrix.shape.rows; ++row)
    for (Index left = std::min(lengths[row], columns); left > 0;) {
      const auto column = static_cast<Index>(random() % static_cast<std::uint64_t>(columns));
      if (matrix.at.emplace(std::pair(row, column), value(random)).second) --left;
    }
  return matrix;
}

/// Equal pattern with values of `magnitudes` magnitudes and either sign; but one in `others`
/// elements keeps its own, and some are zero.
inline Elements with_few_magnitudes(Elements matrix, Index magnitudes, Index others) {
  Index number = 0;
  std::mt19937_64 random(7);
  for (auto& [place, value] : matrix.at) {
    ++number;
    if (number % others == 0) continue;
    const auto chosen = static_cast<double>(random() % static_cast<std::uint64_t>(magnitudes));
    value = std::sqrt(2 + chosen) * (number % 3 == 0 ? -1 : 1);
    if (number % (19 * others) == 1) value = number % 2 == 0 ? 0.0 : -0.0;
  }
  return matrix;
}

struct NamedElements {
  std::string name;
  Elements matrix;
};

/// Shapes at which kernels break: no rows, no elements, one of everything, sizes around that of a
/// warp, empty rows first and last, one huge row among short ones, wide, tall and dense.
inline std::vector<NamedElements> awkward_matrices() {
  std::vector<NamedElements> list;
  const auto add = [&](std::string name, const std::vector<Index>& lengths, Index columns) {
    list.push_back({std::move(name),
                    random_elements(lengths, columns, static_cast<unsigned>(list.size() + 1))});
  };
  const auto uneven = [](Index rows, Index modulus) {
    std::vector<Index> lengths(rows);
    for (Index i = 0; i < rows; ++i) lengths[i] = (i * 7919) % modulus;
    return lengths;
  };
  add("no rows", {}, 5);
  add("no columns", {0, 0, 0}, 0);
  add("no elements", {0, 0, 0, 0}, 7);
  add("one element", {1}, 1);
  add("one row", {40}, 97);
  add("one column", std::vector<Index>(50, 1), 1);
  for (const Index rows : {31, 32, 33, 127, 128, 129})
    add(std::to_string(rows) + " rows", uneven(rows, 41), rows);
  add("rows shorter than a warp", uneven(500, 6), 400);
  add("rows about a warp", std::vector<Index>(100, 32), 200);
  add("empty rows first and last", {0, 0, 0, 5, 0, 9, 0, 0}, 12);
  std::vector<Index> huge = uneven(300, 9);
  huge[137] = 100000;
  add("one huge row", huge, 120000);
  add("wide", uneven(20, 900), 3000);
  add("tall", uneven(3000, 15), 20);
  add("dense", std::vector<Index>(70, 70), 70);
  return list;
}

/// (A x)_i and the sum of |a||x| over its row, in extended precision.
struct ExactRow {
  long double sum = 0;
  long double magnitude = 0;
};

template <class X>
std::vector<ExactRow> exact_product(const Elements& matrix, X x) {
  std::vector<ExactRow> rows(matrix.shape.rows);
  for (const auto& [place, value] : matrix.at) {
    const long double term = static_cast<long double>(value) * x(place.second);
    rows[place.first].sum += term;
    rows[place.first].magnitude += std::abs(term);
  }
  return rows;
}

}  // namespace cisolve::test
