#pragma once

#include <optional>
#include <span>

#include "base/array.hpp"
#include "sparse/rows/shape.hpp"

// Division of a CSR matrix's elements into segments of nearly equal size, one per thread block of a
// device, as in CSR-Adaptive (Greathouse and Daga 2014). A row longer than a segment is cut into
// parts whose sums are added in a second kernel.
namespace cisolve::sparse {

/// A segment ends at the next one's begin.
struct RowSegment {
  Index first;  // element
  Column row;
  Column part;  // -1: whole rows; else the number of this part of a single row
};

/// A row of several segments; its parts end at the next long row's first part.
struct LongRow {
  Column row;
  Column first_part;
};

/// Capacity of a thread block, counted from the preceding multiple of kSegmentAlignment.
constexpr int kSegmentElements = 1024;
constexpr int kSegmentRows = 1024;
constexpr int kSegmentAlignment =
    16;  // elements: full cache lines of values, full sectors of columns

/// Segments as a kernel sees them.
struct SegmentView {
  const RowSegment* segment = nullptr;
  Index count = 0;  // number of segments; one more entry marks the end
  const LongRow* long_row = nullptr;
  Index long_rows = 0;  // one more entry marks the end
  Index parts = 0;
  bool even = true;
};

struct CsrSegments {
  base::Array<RowSegment> segments;
  base::Array<LongRow> long_rows;
  Index parts;
  bool even;  // a fixed number of threads per row would be balanced

  Index bytes() const { return segments.bytes() + long_rows.bytes(); }
  SegmentView view() const {
    return {
        segments.data(), segments.size() - 1, long_rows.data(), long_rows.size() - 1, parts, even};
  }
  CsrSegments to(const base::Backend& target) const {
    return {segments.to(target), long_rows.to(target), parts, even};
  }
};

/// Bytes that a device needs besides the arrays of the format, for rows of these lengths.
Index segment_bytes(std::span<const Column> lengths);

/// Cuts rows with these offsets into segments in the memory of `target`. Returns nullopt if the
/// rows are many, long and even, so that one warp per row is as fast.
std::optional<CsrSegments> cut_into_segments(std::span<const Index> offsets,
                                             const base::Backend& target);

}  // namespace cisolve::sparse
