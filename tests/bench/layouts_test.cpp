#include <gtest/gtest.h>

#include "bench/products/kernels/csr5.hpp"
#include "bench/products/kernels/ell_coo.hpp"
#include "bench/products/length_rows.hpp"
#include "tests/support/matrices.hpp"

// The layouts that kernels of the device read, taken apart on the host.
namespace cisolve::bench {
namespace {

const base::Backend kLayoutHost = base::Backend::openmp();

/// Elements in the order of their rows.
struct Element {
  Index row;
  Column column;
  double value;
  friend bool operator==(const Element&, const Element&) = default;
};

std::vector<Element> elements_of(const sparse::Csr& csr) {
  std::vector<Element> list;
  for (Index row = 0; row < csr.shape.rows; ++row)
    for (Index k = csr.offsets[row]; k < csr.offsets[row + 1]; ++k)
      list.push_back({row, csr.columns[k], csr.values[k]});
  return list;
}

/// Walks along a CSR5 matrix as its kernel does: tile by tile, lane by lane.
std::vector<Element> elements_of(const Csr5& stored) {
  const Csr5View a = stored.view();
  std::vector<Element> list;
  for (Index tile = 0; tile < a.tiles; ++tile)
    for (int lane = 0; lane < kCsr5Lanes; ++lane) {
      const Index place = tile * kCsr5Lanes + lane;
      Index number = Index{a.rows_before[tile]} + a.skip[place];
      for (int j = 0; j < a.sigma; ++j) {
        number += a.flags[place] >> j & 1U;
        const Index k = (tile * a.sigma + j) * kCsr5Lanes + lane;
        if (a.column[k] < 0) continue;
        const Index row = a.row_numbers == nullptr ? number - 1 : a.row_numbers[number - 1];
        list.push_back({row, a.column[k], a.value[k]});
      }
    }
  return list;
}

std::vector<Element> elements_of(const EllCoo& stored) {
  const EllCooView a = stored.view();
  std::vector<Element> list;
  Index next = 0;
  for (Index row = 0; row < a.rows; ++row) {
    for (Index k = 0; k < a.width && a.ell_column[k * a.rows + row] >= 0; ++k)
      list.push_back({row, a.ell_column[k * a.rows + row], a.ell_value[k * a.rows + row]});
    for (; next < a.rest && a.row[next] == row; ++next)
      list.push_back({row, a.column[next], a.value[next]});
  }
  EXPECT_EQ(next, a.rest);
  return list;
}

TEST(BenchLayouts, Csr5HoldsEachElementInItsRow) {
  for (const auto& [name, elements] : test::awkward_matrices()) {
    const Workload matrix(name, sparse::build_csr(test::ElementRows(elements), kLayoutHost));
    for (const int sigma : {4, 6, 32}) {
      const Csr5 stored = build_csr5(matrix, sigma);
      EXPECT_EQ(elements_of(stored), elements_of(matrix.csr())) << name << ", sigma " << sigma;
      Index empty = 0;
      for (Index row = 0; row < matrix.rows(); ++row)
        empty += matrix.csr().offsets[row] == matrix.csr().offsets[row + 1] ? 1 : 0;
      EXPECT_EQ(stored.empty_rows.size(), empty) << name;
    }
  }
}

TEST(BenchLayouts, EllpackAndCoordinatesHoldEachElementOnce) {
  for (const auto& [name, elements] : test::awkward_matrices()) {
    const Workload matrix(name, sparse::build_csr(test::ElementRows(elements), kLayoutHost));
    for (const Index width : {0, 1, 7, 40})
      EXPECT_EQ(elements_of(build_ell_coo(matrix, width)), elements_of(matrix.csr()))
          << name << ", width " << width;
  }
}

TEST(BenchLayouts, TheEllpackPartIsAsWideAsAThirdOfTheRows) {
  const Workload even("even", sparse::build_csr(LengthRows({9000, 500, 20, 0}), kLayoutHost));
  EXPECT_EQ(ell_coo_width(even), 20);
  const Workload few("few rows", sparse::build_csr(LengthRows({4000, 500, 20, 0}), kLayoutHost));
  EXPECT_EQ(ell_coo_width(few), 0);
}

TEST(BenchLayouts, SigmaFollowsTheMeanRow) {
  EXPECT_EQ(csr5_sigma(1.2), 4);
  EXPECT_EQ(csr5_sigma(17), 17);
  EXPECT_EQ(csr5_sigma(100), 32);
  EXPECT_EQ(csr5_sigma(1000), 6);
}

}  // namespace
}  // namespace cisolve::bench
