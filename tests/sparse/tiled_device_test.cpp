#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/random.hpp"
#include "sparse/generate/generator.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/matrix.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/tiles.hpp"

// Tiles built on a device are bitwise equal to the host's, however many rows it processes at a
// time.
namespace cisolve::sparse {
namespace {

using test::ElementRows;
using test::Elements;

const base::Backend kTiledHost = base::Backend::openmp();

/// A matrix by rule: each row has `length` elements from column first(row) on, `step` columns
/// apart; rows with filled(row) false are empty.
class RuledRows final : public RowSource {
 public:
  /// If `magnitudes` is not 0, most values have one of that many magnitudes.
  RuledRows(MatrixShape shape, Index length, Index step, Index (*first)(Index row),
            bool (*filled)(Index row), std::uint64_t magnitudes = 0)
      : shape_(shape),
        length_(length),
        step_(step),
        first_(first),
        filled_(filled),
        magnitudes_(magnitudes) {}

  MatrixShape shape() const override { return shape_; }
  Index grain() const override { return 100; }
  void count(Index first, std::span<Column> lengths) const override {
    for (Column& length : lengths) length = static_cast<Column>(length_of(first++));
  }
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override {
    std::size_t k = 0;
    for (Index row = first; row < last; ++row)
      for (Index i = 0; i < length_of(row); ++i, ++k) {
        columns[k] = static_cast<Column>(first_of(row) + i * step_);
        values[k] = value_of(base::mix(row, static_cast<std::uint64_t>(i)));
      }
  }

 private:
  double value_of(std::uint64_t random) const {
    if (magnitudes_ == 0 || random % 20 == 0) return base::symmetric_interval(random);
    const double magnitude = 0.125 + static_cast<double>(random / 32 % magnitudes_);
    return random / 8 % 2 == 0 ? magnitude : -magnitude;
  }
  Index first_of(Index row) const { return std::clamp<Index>(first_(row), 0, shape_.columns - 1); }
  Index length_of(Index row) const {
    return filled_(row) ? std::min(length_, (shape_.columns - 1 - first_of(row)) / step_ + 1) : 0;
  }

  MatrixShape shape_;
  Index length_;
  Index step_;
  Index (*first_)(Index);
  bool (*filled_)(Index);
  std::uint64_t magnitudes_;
};

class TiledDevice : public test::BackendTest {
 protected:
  /// Expects the tiles of the host with scratch memory for all rows, for some blocks, and for one
  /// at a time.
  static void expect_the_hosts(const RowSource& rows, const TileGeometry& geometry,
                               std::initializer_list<Index> scratch = {0, 40'000, 1}) {
    const base::Backend device = test::backend_under_test();
    const Tiled expected = build_tiled(rows, geometry, kTiledHost);
    for (const Index bytes : scratch) {
      SCOPED_TRACE(base::concat(bytes, " bytes of scratch"));
      test::expect_same_tiles(build_tiled_on_device(rows, geometry, device, bytes), expected);
    }
  }

  static TileGeometry cells_only(Index tile_columns, int vectors, Index blocks = 3) {
    return {.vectors = vectors,
            .blocks = blocks,
            .largest_tile = tile_columns,
            .keep_sparse_cells = true};
  }
};

TEST_F(TiledDevice, AwkwardMatricesAreTheHostsToTheBit) {
  for (const auto& [name, matrix] : test::awkward_matrices())
    for (const int vectors : {1, 2, 4, 8}) {
      SCOPED_TRACE(base::concat(name, ", ", vectors, " vectors"));
      expect_the_hosts(ElementRows(matrix), cells_only(300, vectors));
    }
}

// Some matrices have all magnitudes in shared memory, some only a few.
TEST_F(TiledDevice, CodedValuesAreTheHosts) {
  for (const auto& [name, matrix] : test::awkward_matrices())
    for (const int vectors : {1, 2, 4, 8})
      for (const Index magnitudes : {3, 60}) {
        SCOPED_TRACE(base::concat(name, ", ", vectors, " vectors, ", magnitudes, " magnitudes"));
        TileGeometry geometry = cells_only(100, vectors);
        geometry.values = ValueEncoding::coded;
        const ElementRows rows(test::with_few_magnitudes(matrix, magnitudes, 9));
        expect_the_hosts(rows, geometry);
      }
}

TEST_F(TiledDevice, RareMagnitudesAreTheHosts) {
  const Elements matrix = test::with_few_magnitudes(
      test::random_elements(std::vector<Index>(2'000, 50), 900, 3), 700, 9);
  for (const int vectors : {1, 4}) {
    TileGeometry geometry = cells_only(100, vectors);
    geometry.values = ValueEncoding::coded;
    geometry.shared_capacity = 1'200 / vectors;
    const Tiled expected = build_tiled(ElementRows(matrix), geometry, kTiledHost);
    ASSERT_GT(expected.magnitudes.size(), expected.near_magnitudes);
    expect_the_hosts(ElementRows(matrix), geometry);
  }
}

// Several parts of a sample, and several windows of rows.
TEST_F(TiledDevice, LargeCodedMatricesAreTheHosts) {
  const auto all = [](Index /*row*/) { return true; };
  const RuledRows band(
      {80'000, 80'000, 0, false}, 51, 3, [](Index row) { return row - 70; }, all, 40);
  for (const int vectors : {1, 4}) {
    SCOPED_TRACE(vectors);
    const TileGeometry geometry{.vectors = vectors,
                                .blocks = 20,
                                .shared_capacity = 6'000,
                                .largest_tile = 1'200,
                                .values = ValueEncoding::coded};
    ASSERT_EQ(build_tiled(band, geometry, kTiledHost).values(), ValueEncoding::coded);
    expect_the_hosts(band, geometry, {0, 1'000'000});
  }
}

TEST_F(TiledDevice, UncodedElementsAreTheHosts) {
  const ElementRows rows(test::random_elements(std::vector<Index>(500, 20), 500, 8));
  TileGeometry geometry = cells_only(100, 1);
  geometry.values = ValueEncoding::coded;
  ASSERT_EQ(build_tiled(rows, geometry, kTiledHost).values(), ValueEncoding::plain);
  expect_the_hosts(rows, geometry);
}

TEST_F(TiledDevice, JumpsAreTheHosts) {
  for (const Index row : {253, 254, 255, 256, 257, 509, 510, 511, 766, 9'000}) {
    SCOPED_TRACE(row);
    std::vector<Index> lengths(20'000, 0);
    lengths[0] = 1;
    lengths[row] = 190;
    for (const Index other : {12'345, 12'599, 19'998}) lengths[other] = 150;
    expect_the_hosts(ElementRows(test::random_elements(lengths, 200, 4)), cells_only(200, 1, 1));
  }
}

// A lane may begin at an element after a jump that is shorter than the longest one.
TEST_F(TiledDevice, LanesThatBeginBehindAJumpAreTheHosts) {
  std::vector<Index> lengths(20'000, 0);
  for (Index row = 0; row < 20'000; row += 150) lengths[row] = 1;
  expect_the_hosts(ElementRows(test::random_elements(lengths, 300, 4)), cells_only(300, 1, 1));
}

// Gaps are included depending on the ends of tiles, and some cross words of the column set.
TEST_F(TiledDevice, GapsAreIncludedAsByTheHost) {
  for (const int share : {2, 5, 9, 17, 30, 70})
    for (const Index width : {2, 6, 30, 64, 1'000})
      for (const int vectors : {1, 8}) {
        SCOPED_TRACE(base::concat("one of ", share, ", ", width, " columns"));
        Elements matrix{{40, 10'001, 0, false}, {}};
        for (Index column = 0; column < 10'001; ++column) {
          const std::uint64_t random = base::mix(share, static_cast<std::uint64_t>(column));
          if (random % share == 0)
            matrix.at[{static_cast<Index>(random / 1000 % 40), column}] = 1.0 + share;
        }
        matrix.at[{39, 10'000}] = 2;
        expect_the_hosts(ElementRows(matrix), cells_only(width, vectors, 2), {0});
      }
}

// Columns of wide matrices are processed 65,536 at a time.
TEST_F(TiledDevice, GapsBetweenColumnsCopiedSeparatelyAreTheHosts) {
  Elements matrix{{5, 200'000, 0, false}, {}};
  for (const Index column : {7, 65'530, 65'540, 131'060, 131'071, 131'090, 196'606, 196'610})
    matrix.at[{column % 5, column}] = 0.5;
  for (const int vectors : {1, 4}) expect_the_hosts(ElementRows(matrix), cells_only(100, vectors));
}

TEST_F(TiledDevice, DistantColumnsGiveTheTilesOfTheHost) {
  const auto all = [](Index /*row*/) { return true; };
  const RuledRows wide(
      {40, 2'000'001, 0, false}, 300, 6'001, [](Index row) { return row * 999; }, all);
  expect_the_hosts(wide, cells_only(100, 1, 2));
  const RuledRows dense(
      {9, 300'000, 0, false}, 300'000, 1, [](Index /*row*/) { return Index{0}; }, all);
  expect_the_hosts(dense, cells_only(7'000, 2, 2));
}

TEST_F(TiledDevice, ABandAndAnArrowAreTheHosts) {
  const auto some = [](Index row) { return row % 1'000 < 900 || row % 7 == 0; };
  const RuledRows band(
      {100'000, 100'000, 0, false}, 51, 1, [](Index row) { return row - 25; }, some);
  for (const int vectors : {1, 4}) {
    SCOPED_TRACE(vectors);
    const TileGeometry geometry{
        .vectors = vectors, .blocks = 20, .shared_capacity = 6'000, .largest_tile = 1'200};
    expect_the_hosts(band, geometry, {0, 1'000'000});
  }
  std::vector<Index> lengths(9'000, 40);
  lengths[0] = 9'000;
  lengths[8'999] = 9'000;
  Elements arrow = test::random_elements(lengths, 9'000, 3);
  for (Index row = 0; row < 9'000; ++row) arrow.at[{row, 0}] = 0.5;
  expect_the_hosts(ElementRows(arrow), cells_only(512, 1, 6));
}

TEST_F(TiledDevice, TailsAreTheHosts) {
  const GeneratedRows rows({.rows = 100'000, .reference_per_row = 45, .density = 0.00001},
                           kTiledHost);
  const TileGeometry geometry{.blocks = 64, .shared_capacity = 6'000, .largest_tile = 1'200};
  ASSERT_GT(build_tiled(rows, geometry, kTiledHost).tail.nonzeros(), 0);
  ASSERT_GT(build_tiled(rows, geometry, kTiledHost).view().cells, 0);
  expect_the_hosts(rows, geometry, {0, 5'000'000});
}

TEST_F(TiledDevice, GeneratedMatricesAreTheHosts) {
  const GeneratedRows rows({.rows = 12'000, .reference_per_row = 300, .density = 0.01}, kTiledHost);
  for (const int vectors : {1, 2, 4, 8}) {
    SCOPED_TRACE(vectors);
    const TileGeometry geometry{
        .vectors = vectors, .blocks = 16, .shared_capacity = 6'000, .largest_tile = 2'000};
    expect_the_hosts(rows, geometry, {0, 3'000'000});
  }
  const GeneratedRows uneven(
      {.rows = 9'000, .reference_per_row = 900, .density = 0.01, .spread = 9}, kTiledHost);
  expect_the_hosts(uneven, TileGeometry::of(test::backend_under_test(), {.vectors = 4}), {0});
}

TEST_F(TiledDevice, ASmallMatrixIsAllTail) {
  const ElementRows rows(test::random_elements(std::vector<Index>(500, 20), 500, 8));
  expect_the_hosts(rows, TileGeometry::of(test::backend_under_test(), {}));
}

TEST_F(TiledDevice, ShortRowsAreAllTail) {
  const GeneratedRows rows({.rows = 90'000, .reference_per_row = 35, .density = 0.00001},
                           kTiledHost);
  const TileGeometry geometry{.blocks = 64, .shared_capacity = 6'000, .largest_tile = 1'200};
  ASSERT_EQ(build_tiled(rows, geometry, kTiledHost).tail.nonzeros(),
            total(row_lengths(rows, kTiledHost).span()));
  expect_the_hosts(rows, geometry, {0});
}

TEST_F(TiledDevice, IsRefusedIfDeviceMemoryIsShort) {
  const auto device = base::Backend::by_name(test::backend_name(), 0, {.device_bytes = 2 << 20});
  const GeneratedRows rows({.rows = 12'000, .reference_per_row = 300}, kTiledHost);
  EXPECT_THROW(build_matrix(rows, {.format = "tiled"}, device), base::DeviceMemoryError);
}

}  // namespace
}  // namespace cisolve::sparse
