#include "sparse/generate/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sparse/formats/csr.hpp"
#include "sparse/formats/symmetry.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/rows/statistics.hpp"

namespace cisolve::sparse {
namespace {

using base::Backend;

GeneratorOptions small(bool symmetric) {
  return {.rows = 2500,
          .reference_share = 0.1,
          .reference_per_row = 20,
          .density = 0.01,
          .spread = 6,
          .seed = 7,
          .symmetric = symmetric};
}

Csr generate(const GeneratorOptions& options, const Backend& host) {
  return build_csr(GeneratedRows(options, host), host);
}

bool same_bits(const Csr& a, const Csr& b) {
  return std::ranges::equal(a.offsets.span(), b.offsets.span()) &&
         std::ranges::equal(a.columns.span(), b.columns.span()) &&
         std::ranges::equal(a.values.span(), b.values.span());
}

// Reads rows in pieces of a size that no builder uses.
Csr generate_in_pieces(const GeneratorOptions& options, Index piece) {
  const Backend host = Backend::reference();
  const GeneratedRows rows(options, host);
  std::vector<Column> lengths(options.rows);
  for (Index first = 0; first < options.rows; first += piece)
    rows.count(first, std::span(lengths).subspan(first, std::min(piece, options.rows - first)));
  Csr matrix =
      allocate_csr(rows.shape(), std::accumulate(lengths.begin(), lengths.end(), Index{0}), host);
  matrix.offsets[0] = 0;
  std::partial_sum(lengths.begin(), lengths.end(), matrix.offsets.data() + 1, std::plus<Index>{});
  for (Index last = options.rows; last > 0;) {  // from the last to the first
    const Index first = std::max<Index>(0, last - piece);
    const Index begin = matrix.offsets[first];
    const Index size = matrix.offsets[last] - begin;
    rows.fill(first, last, matrix.columns.span().subspan(begin, size),
              matrix.values.span().subspan(begin, size));
    last = first;
  }
  return matrix;
}

void expect_ordered_rows_of_nonzeros(const Csr& matrix) {
  for (Index row = 0; row < matrix.shape.rows; ++row)
    for (Index k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      const Column before = k > matrix.offsets[row] ? matrix.columns[k - 1] : -1;
      ASSERT_LT(before, matrix.columns[k]);
      ASSERT_LT(matrix.columns[k], matrix.shape.columns);
      ASSERT_NE(matrix.values[k], 0);
    }
}

std::vector<double> dense(const Csr& matrix) {
  std::vector<double> full(matrix.shape.rows * matrix.shape.columns, 0.0);
  for (Index row = 0; row < matrix.shape.rows; ++row)
    for (Index k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k)
      full[row * matrix.shape.columns + matrix.columns[k]] = matrix.values[k];
  return full;
}

double deviation(std::span<const Column> lengths) {
  double sum = 0;
  double squares = 0;
  for (const double length : lengths) {
    sum += length;
    squares += length * length;
  }
  const auto n = static_cast<double>(lengths.size());
  return std::sqrt(squares / n - sum / n * (sum / n));
}

class GeneratorOfEitherForm : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Generator, GeneratorOfEitherForm, ::testing::Bool(),
                         [](const auto& form) { return form.param ? "Symmetric" : "General"; });

TEST_P(GeneratorOfEitherForm, HasTheSameBitsForAnyNumberOfThreads) {
  const Csr one = generate(small(GetParam()), Backend::reference());
  ASSERT_GT(one.nonzeros(), 2500 * 20);
  for (const int threads : {1, 2, 3})
    EXPECT_TRUE(same_bits(one, generate(small(GetParam()), Backend::openmp(threads)))) << threads;
}

TEST_P(GeneratorOfEitherForm, HasTheSameBitsForAnyPiecesOfRows) {
  const Csr whole = generate(small(GetParam()), Backend::reference());
  for (const Index piece : {333, 1024, 1500, 2500})
    EXPECT_TRUE(same_bits(whole, generate_in_pieces(small(GetParam()), piece))) << piece;
}

TEST_P(GeneratorOfEitherForm, HasAscendingDistinctColumnsAndNoZeros) {
  expect_ordered_rows_of_nonzeros(generate(small(GetParam()), Backend::openmp()));
}

TEST_P(GeneratorOfEitherForm, DependsOnTheSeedInPatternAndValues) {
  GeneratorOptions options = small(GetParam());
  const Csr one = generate(options, Backend::openmp());
  options.seed = 8;
  const Csr other = generate(options, Backend::openmp());
  EXPECT_FALSE(std::ranges::equal(one.columns.span(), other.columns.span()));
  const Index common = std::min(one.nonzeros(), other.nonzeros());
  EXPECT_FALSE(
      std::ranges::equal(one.values.span().first(common), other.values.span().first(common)));
}

TEST_P(GeneratorOfEitherForm, IsFullIfRequested) {
  GeneratorOptions options = small(GetParam());
  options.rows = 130;
  options.reference_per_row = 13;
  options.density = 1;
  options.spread = 0;
  const Csr full = generate(options, Backend::openmp());
  EXPECT_EQ(full.nonzeros(), 130 * 130);
  expect_ordered_rows_of_nonzeros(full);
}

TEST_P(GeneratorOfEitherForm, AcceptsMatricesOfNoneAndOneRow) {
  GeneratorOptions options{.rows = 0, .symmetric = GetParam()};
  EXPECT_EQ(generate(options, Backend::openmp()).nonzeros(), 0);
  options.rows = 1;
  EXPECT_EQ(generate(options, Backend::openmp()).nonzeros(), GetParam() ? 1 : 0);
  options.reference_share = 1;
  options.reference_per_row = 1;
  EXPECT_EQ(generate(options, Backend::openmp()).nonzeros(), 1);
}

TEST_P(GeneratorOfEitherForm, SpreadBeyondTheRegionIsCutToIt) {
  GeneratorOptions options = small(GetParam());
  options.rows = 200;
  options.spread = 1e6;
  const Csr matrix = generate(options, Backend::openmp());
  expect_ordered_rows_of_nonzeros(matrix);
}

TEST(Generator, DiagonalsAreFullAndAsManyAsAreAskedFor) {
  for (const bool symmetric : {false, true})
    for (const auto pattern : {GeneratedPattern::banded, GeneratedPattern::diagonals}) {
      const GeneratorOptions options{
          .rows = 300, .symmetric = symmetric, .pattern = pattern, .diagonals = 17};
      const Csr matrix = generate(options, Backend::openmp(2));
      expect_ordered_rows_of_nonzeros(matrix);
      std::map<Index, Index> lengths;
      for (Index row = 0; row < 300; ++row)
        for (Index k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k)
          ++lengths[matrix.columns[k] - row];
      EXPECT_EQ(lengths.size(), 17u) << name_of(pattern);
      for (const auto& [shift, length] : lengths) EXPECT_EQ(length, 300 - std::abs(shift));
      EXPECT_EQ(lengths.contains(-8) && lengths.contains(8), pattern == GeneratedPattern::banded);
      if (symmetric) {
        EXPECT_EQ(asymmetry(matrix, Backend::openmp(2)), 0) << name_of(pattern);
      }
    }
  GeneratorOptions even{.rows = 9, .pattern = GeneratedPattern::banded, .diagonals = 2};
  EXPECT_EQ(generate(even, Backend::openmp()).nonzeros(), 9 + 8);
  even.symmetric = true;
  EXPECT_THROW(generate(even, Backend::openmp()), base::Error);
  EXPECT_THROW(generate({.rows = 9, .pattern = GeneratedPattern::diagonals, .diagonals = 10},
                        Backend::openmp()),
               base::Error);
}

TEST(Generator, SparsestMatricesHaveNothingOrOnlyTheirDiagonal) {
  GeneratorOptions options{.rows = 2000};
  EXPECT_EQ(generate(options, Backend::openmp()).nonzeros(), 0);
  options.symmetric = true;
  const Csr diagonal = generate(options, Backend::openmp());
  ASSERT_EQ(diagonal.nonzeros(), 2000);
  for (Index row = 0; row < 2000; ++row) EXPECT_EQ(diagonal.columns[row], row);
}

TEST(Generator, GivesTheMatrixOfThePaper) {
  const Backend host = Backend::openmp();
  const GeneratedRows rows({.rows = 32768,
                            .reference_share = 0.1,
                            .reference_per_row = 655,
                            .density = 0.01,
                            .spread = 29,
                            .seed = 1},
                           host);
  const Statistics statistics = describe(rows, host);
  EXPECT_EQ(statistics.reference.nonzeros, 21463040);
  EXPECT_EQ(statistics.reference.shortest_row, 655);
  EXPECT_EQ(statistics.reference.longest_row, 655);
  EXPECT_GE(statistics.expansion.nonzeros, 9650000);
  EXPECT_LE(statistics.expansion.nonzeros, 9690000);
  EXPECT_GE(statistics.whole.longest_row, 1050);
  EXPECT_LE(statistics.whole.longest_row, 1090);
  EXPECT_NEAR(statistics.reference.sparsity, 0.80011, 2e-5);
  EXPECT_NEAR(statistics.expansion.sparsity, 0.98999, 2e-5);
  EXPECT_NEAR(statistics.whole.sparsity, 0.97100, 2e-5);
}

TEST(Generator, GeneralRowLengthsHaveTheMeanAndTheSpread) {
  GeneratorOptions options = small(false);
  options.rows = 40000;
  const Backend host = Backend::openmp();
  const Statistics statistics = describe(GeneratedRows(options, host), host);
  EXPECT_NEAR(statistics.expansion.mean_row, 360, 4 * 6 / 200.0);
  EXPECT_NEAR(deviation(statistics.expansion_lengths.span()), 6, 0.1);
  options.spread = 0;
  const Statistics even = describe(GeneratedRows(options, host), host);
  EXPECT_EQ(even.expansion.shortest_row, 360);
  EXPECT_EQ(even.expansion.longest_row, 360);
}

TEST(Generator, ColumnsAreUniform) {
  const Csr matrix = generate(small(false), Backend::openmp());
  std::vector<double> uses(2500, 0.0);
  for (const Column column : matrix.columns.span()) uses[column] += 1;
  // Chi squared per degree of freedom of the 250 reference columns, 200 uses each, less the part
  // that drawing without repeats removes.
  double chi = 0;
  for (Index column = 0; column < 250; ++column)
    chi += (uses[column] - 200) * (uses[column] - 200) / (200 * (1 - 0.08));
  EXPECT_NEAR(chi / 249, 1, 5 * std::sqrt(2 / 249.0));
}

TEST(Generator, SymmetricFormIsSymmetricToTheLastBit) {
  for (const Index rows : {300, 2100}) {  // within a tile, and across tiles
    GeneratorOptions options = small(true);
    options.rows = rows;
    const std::vector<double> h = dense(generate(options, Backend::openmp()));
    for (Index i = 0; i < rows; ++i) {
      ASSERT_NE(h[i * rows + i], 0);
      for (Index j = 0; j < i; ++j) ASSERT_EQ(h[i * rows + j], h[j * rows + i]) << i << ' ' << j;
    }
  }
}

TEST(Generator, SymmetricRowLengthsHaveTheMeanAndTheSpread) {
  for (const double spread : {0.0, 25.0, 60.0}) {
    GeneratorOptions options = small(true);
    options.rows = 8000;
    options.reference_per_row = 80;
    options.density = 0.05;
    options.spread = spread;
    const Backend host = Backend::openmp();
    const Statistics statistics = describe(GeneratedRows(options, host), host);
    const auto reference = statistics.reference_lengths.span().subspan(800);
    const auto expansion = statistics.expansion_lengths.span().subspan(800);
    const auto mean = [](std::span<const Column> lengths) {
      return std::accumulate(lengths.begin(), lengths.end(), 0.0) /
             static_cast<double>(lengths.size());
    };
    const double by_chance = std::sqrt(360 * 0.95);
    EXPECT_NEAR(mean(reference), 80, 0.6);
    EXPECT_NEAR(mean(expansion), 361, 3);
    EXPECT_NEAR(deviation(expansion), std::max(spread, by_chance), 1.5) << spread;
    // The dense top: a reference row has the reference's probability in all of its columns.
    EXPECT_NEAR(mean(statistics.expansion_lengths.span().first(800)), 720, 3);
  }
}

TEST(Generator, SymmetricFormHasSeparatedLowestStates) {
  GeneratorOptions options = small(true);
  options.rows = 300;
  const std::vector<double> h = dense(generate(options, Backend::openmp()));
  // The diagonal rises as log2(1 + i); the coupling of the first unit vectors to the rest is small
  // compared with the gaps of their diagonals, so perturbation theory describes the lowest states.
  for (Index i = 0; i < 300; ++i)
    EXPECT_NEAR(h[i * 300 + i], std::log2(1.0 + static_cast<double>(i)), 0.125 + 0.087);
  double shift = 0;
  for (Index j = 1; j < 300; ++j) shift += h[j] * h[j] / (h[j * 300 + j] - h[0]);
  EXPECT_GT(shift, 0.005);
  EXPECT_LT(shift, 0.25 * (h[301] - h[0]));
}

TEST(Generator, SymmetricFormKeepsItsWeightsWithinTheBudget) {
  const Backend poor = Backend::openmp(1, {.host_bytes = 1 << 20});
  GeneratorOptions options = small(true);
  options.rows = 1 << 20;
  try {
    const GeneratedRows rows(options, poor);
    FAIL() << "8 MiB of weights fit into a budget of 1 MiB";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::resources);
  }
}

TEST(Generator, PredictsNoMoreNonZerosThanItDraws) {
  for (const bool symmetric : {false, true})
    for (const double spread : {0.0, 10.0}) {
      const GeneratorOptions options{.rows = 2000,
                                     .reference_per_row = 20,
                                     .density = 0.02,
                                     .spread = spread,
                                     .symmetric = symmetric};
      const base::Backend host = base::Backend::openmp(2);
      const auto lengths = row_lengths(GeneratedRows(options, host), host);
      const auto drawn = static_cast<double>(total(lengths.span()));
      EXPECT_LE(least_nonzeros(options), 0.95 * drawn) << symmetric << ", " << spread;
      EXPECT_GE(least_nonzeros(options), 0.5 * drawn) << symmetric << ", " << spread;
    }
}

TEST(Generator, RefusesOptionsThatDescribeNoMatrixAndNamesThem) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto refused = [](const char* name, const std::function<void(GeneratorOptions&)>& spoil) {
    GeneratorOptions options = small(false);
    spoil(options);
    try {
      const GeneratedRows rows(options, Backend::reference());
      ADD_FAILURE() << name << " was accepted";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::configuration);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("expected"), std::string::npos) << error.what();
    }
  };
  refused("rows", [](auto& o) { o.rows = -1; });
  refused("rows", [](auto& o) { o.rows = Index{1} << 31; });
  for (const double share : {-0.1, 1.1, nan})
    refused("reference_share", [=](auto& o) { o.reference_share = share; });
  for (const Index count : {-1, 251})
    refused("reference_per_row", [=](auto& o) { o.reference_per_row = count; });
  for (const double density : {-0.1, 1.1, nan})
    refused("density", [=](auto& o) { o.density = density; });
  for (const double spread : {-1.0, infinity, nan})
    refused("spread", [=](auto& o) { o.spread = spread; });
}

}  // namespace
}  // namespace cisolve::sparse
