#include "sparse/formats/csr_segments.hpp"

#include <gtest/gtest.h>

#include "base/offsets.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::sparse {
namespace {

using Lengths = std::vector<Column>;

CsrSegments shares_of(const Lengths& lengths) {
  const base::Backend host = base::Backend::openmp(2);
  const auto offsets = base::offsets_from(lengths, host, "offsets");
  std::optional<CsrSegments> segments = cut_into_segments(offsets.span(), host);
  if (!segments) throw std::logic_error("there are no shares");
  return *std::move(segments);
}

bool are_shared(const Lengths& lengths) {
  const base::Backend host = base::Backend::openmp(2);
  return cut_into_segments(base::offsets_from(lengths, host, "offsets").span(), host).has_value();
}

/// The given rows among short ones.
Lengths among_short(const Lengths& given) {
  Lengths lengths(500, 3);
  lengths.insert(lengths.end(), given.begin(), given.end());
  lengths.resize(lengths.size() + 700, 0);
  lengths.push_back(1);
  return lengths;
}

std::vector<Lengths> all_lengths() {
  std::vector<Lengths> list{
      {}, {0}, {1}, {5000}, Lengths(5000, 0), Lengths(5000, 1), Lengths(5000, 5)};
  for (const Column length : {1000, 1007, 1008, 1009, 1023, 1024, 1025, 2048, 2049, 9000})
    list.push_back(among_short({length, length, 0, length, 1, length}));
  return list;
}

TEST(CsrSegments, CoverEveryRowAndFitIntoABlock) {
  for (const Lengths& lengths : all_lengths()) {
    const base::Backend host = base::Backend::openmp(2);
    const auto offsets = base::offsets_from(lengths, host, "offsets");
    const CsrSegments segments = shares_of(lengths);
    const SegmentView view = segments.view();
    const auto rows = static_cast<Column>(lengths.size());
    EXPECT_EQ(view.segment[view.count].row, rows);
    EXPECT_EQ(view.segment[view.count].first, offsets[rows]);
    for (Index k = 0; k < view.count; ++k) {
      const RowSegment& segment = view.segment[k];
      const RowSegment& next = view.segment[k + 1];
      if (k == 0) {
        EXPECT_EQ(segment.row, 0);
        EXPECT_EQ(segment.first, 0);
      }
      const Index base = segment.first / kSegmentAlignment * kSegmentAlignment;
      EXPECT_LE(next.first - base, kSegmentElements);
      EXPECT_LE(next.row - segment.row, kSegmentRows);
      if (segment.part < 0) {
        EXPECT_EQ(segment.first, offsets[segment.row]);
        EXPECT_EQ(next.first, offsets[next.row]);
        EXPECT_GT(next.row, segment.row);
      } else {
        EXPECT_GT(next.first, segment.first);
        EXPECT_LE(next.first, offsets[segment.row + 1]);
        EXPECT_EQ(next.row, next.first == offsets[segment.row + 1] ? segment.row + 1 : segment.row);
      }
    }
  }
}

TEST(CsrSegments, MarkThePartsOfLongRows) {
  for (const Lengths& lengths : all_lengths()) {
    const CsrSegments segments = shares_of(lengths);
    const SegmentView view = segments.view();
    Column part = 0;
    Index long_rows = 0;
    for (Index k = 0; k < view.count; ++k) {
      if (view.segment[k].part < 0) continue;
      if (k == 0 || view.segment[k - 1].row != view.segment[k].row) {
        ASSERT_LT(long_rows, view.long_rows);
        EXPECT_EQ(view.long_row[long_rows].row, view.segment[k].row);
        EXPECT_EQ(view.long_row[long_rows].first_part, part);
        ++long_rows;
      }
      EXPECT_EQ(view.segment[k].part, part++);
    }
    EXPECT_EQ(view.long_rows, long_rows);
    EXPECT_EQ(view.long_row[long_rows].first_part, part);
    EXPECT_EQ(view.parts, part);
  }
}

// Segments are as full as their rows allow: hardly more segments than necessary.
TEST(CsrSegments, AreFull) {
  const Lengths lengths(100'000, 7);
  const Index full = 700'000 / (kSegmentElements - kSegmentAlignment - 7);
  EXPECT_LE(shares_of(lengths).view().count, full + 1);
  EXPECT_EQ(shares_of(Lengths(5000, 0)).view().count, 5);
}

TEST(CsrSegments, AreNotUsedForLongEvenRows) {
  constexpr Column kMany = 4096;
  EXPECT_FALSE(are_shared(Lengths(kMany, 32)));
  EXPECT_TRUE(are_shared(Lengths(kMany, 31)));
  EXPECT_TRUE(are_shared(Lengths(kMany - 1, 32)));
  Lengths one_longer(kMany, 100);
  one_longer[7] = 1600;
  EXPECT_FALSE(are_shared(one_longer));  // the mean exceeds 100
  one_longer[7] = 1620;
  EXPECT_TRUE(are_shared(one_longer));
  Lengths halves(kMany, 180);
  std::fill_n(halves.begin(), kMany / 2, 20);  // standard deviation 0.8 of the mean
  EXPECT_TRUE(are_shared(halves));
  std::fill_n(halves.begin(), kMany / 2, 40);  // 0.64
  EXPECT_FALSE(are_shared(halves));
}

TEST(CsrSegments, DetectEvenRows) {
  EXPECT_TRUE(shares_of(Lengths(100, 20)).even);
  EXPECT_TRUE(shares_of(Lengths(100, 0)).even);
  Lengths halves(100, 18);
  std::fill_n(halves.begin(), 50, 2);
  EXPECT_FALSE(shares_of(halves).even);
  EXPECT_FALSE(shares_of(Lengths(10, 500)).even);  // ten rows are too few
}

TEST(CsrSegments, TakeThePlannedBytes) {
  for (const Lengths& lengths : all_lengths())
    EXPECT_EQ(shares_of(lengths).bytes(), segment_bytes(lengths));
  EXPECT_EQ(segment_bytes(Lengths(5000, 40)), 0);
}

TEST(CsrSegments, AreReservedFromTheBudget) {
  const base::Backend host = base::Backend::openmp(2, {});
  const auto offsets = base::offsets_from(Lengths(5000, 20), host, "offsets");
  const Index before = host.memory().used();
  const auto segments = cut_into_segments(offsets.span(), host);
  ASSERT_TRUE(segments);
  EXPECT_EQ(host.memory().used() - before, segments->bytes());
}

}  // namespace
}  // namespace cisolve::sparse
