#include "sparse/formats/csr_segments.hpp"

#include <algorithm>
#include <utility>

namespace cisolve::sparse {
namespace {

/// Row lengths from offsets.
struct OffsetLengths {
  std::span<const Index> offsets;
  Index size() const { return std::ssize(offsets) - 1; }
  Index operator[](Index row) const { return offsets[row + 1] - offsets[row]; }
};

struct GivenLengths {
  std::span<const Column> lengths;
  Index size() const { return std::ssize(lengths); }
  Index operator[](Index row) const { return lengths[row]; }
};

enum class Evenness { uneven, even, even_and_long };

template <class Lengths>
Evenness evenness(const Lengths& lengths) {
  constexpr double kDeviation = 0.7;  // times the mean
  constexpr double kLongest = 16;
  constexpr double kLong = 32;
  constexpr Index kManyRows = 4096;  // enough warps to occupy a device
  double sum = 0;
  double squares = 0;
  double longest = 0;
  for (Index row = 0; row < lengths.size(); ++row) {
    const auto length = static_cast<double>(lengths[row]);
    sum += length;
    squares += length * length;
    longest = std::max(longest, length);
  }
  const auto rows = static_cast<double>(std::max<Index>(lengths.size(), 1));
  const double mean = sum / rows;
  const double variance = squares / rows - mean * mean;
  if (variance > kDeviation * kDeviation * mean * mean || longest > kLongest * mean)
    return Evenness::uneven;
  if (mean < kLong) return Evenness::even;
  return lengths.size() < kManyRows ? Evenness::uneven : Evenness::even_and_long;
}

Index aligned(Index element) { return element / kSegmentAlignment * kSegmentAlignment; }

/// Calls segment(RowSegment) and long_row(LongRow) in order, end markers included.
template <class Lengths, class Segment, class Long>
void visit_segments(const Lengths& lengths, Segment&& segment, Long&& long_row) {
  Index first = 0;
  Column part = 0;
  const auto rows = static_cast<Column>(lengths.size());
  for (Column row = 0; row < rows;) {
    const Index most = aligned(first) + kSegmentElements;
    Index end = first + lengths[row];
    if (end > most) {
      long_row(LongRow{row, part});
      for (Index begin = first; begin < end; begin = aligned(begin) + kSegmentElements)
        segment(RowSegment{begin, row, part++});
      ++row;
    } else {
      segment(RowSegment{first, row, -1});
      const Column begin = row++;
      while (row < rows && row - begin < kSegmentRows && end + lengths[row] <= most)
        end += lengths[row++];
    }
    first = end;
  }
  segment(RowSegment{first, rows, -1});
  long_row(LongRow{rows, part});
}

struct Counts {
  Index segments = 0;
  Index long_rows = 0;
  Index parts = 0;
};

template <class Lengths>
Counts count(const Lengths& lengths) {
  Counts counts;
  visit_segments(
      lengths, [&](const RowSegment&) { ++counts.segments; },
      [&](const LongRow& row) {
        ++counts.long_rows;
        counts.parts = row.first_part;
      });
  return counts;
}

}  // namespace

Index segment_bytes(std::span<const Column> lengths) {
  const GivenLengths given{lengths};
  if (evenness(given) == Evenness::even_and_long) return 0;
  const Counts counts = count(given);
  return counts.segments * Index{sizeof(RowSegment)} + counts.long_rows * Index{sizeof(LongRow)};
}

std::optional<CsrSegments> cut_into_segments(std::span<const Index> offsets,
                                             const base::Backend& target) {
  const OffsetLengths lengths{offsets};
  const Evenness kind = evenness(lengths);
  if (kind == Evenness::even_and_long) return std::nullopt;
  const Counts counts = count(lengths);
  const base::Backend host = target.host();
  CsrSegments result{base::Array<RowSegment>(host, counts.segments, "the segments of CSR rows"),
                     base::Array<LongRow>(host, counts.long_rows, "the long rows of CSR"),
                     counts.parts, kind == Evenness::even};
  RowSegment* segment = result.segments.data();
  LongRow* long_row = result.long_rows.data();
  visit_segments(
      lengths, [&](const RowSegment& one) { *segment++ = one; },
      [&](const LongRow& one) { *long_row++ = one; });
  return target.is_host() ? std::move(result) : result.to(target);
}

}  // namespace cisolve::sparse
