#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "base/array.hpp"
#include "base/host_device.hpp"
#include "sparse/formats/options.hpp"
#include "sparse/rows/device_rows.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// Sliced ELLPACK for a matrix with few distinct values off the diagonal: a position holds a column
/// and one byte, the index of its value in a table of at most 256. Diagonal values are in the table
/// too if they fit; otherwise their code is kDiagonalCode and each row stores its own.
struct CodedSlicedView {
  static constexpr int kMostValues = 256;
  static constexpr int kDiagonalCode = kMostValues - 1;

  Index rows = 0;
  Index columns = 0;
  Index slice_height = 1;
  const Index* slice_offsets = nullptr;
  const Column* column = nullptr;  // -1 ends a row, as in SlicedView
  const std::uint8_t* code = nullptr;
  const double* table = nullptr;
  Index table_size = 0;
  const double* diagonal = nullptr;  // null if the table has the diagonal
  Index positions = 0;               // positions of all slices

  CISOLVE_HOST_DEVICE Index width(Index slice) const {
    return (slice_offsets[slice + 1] - slice_offsets[slice]) / slice_height;
  }
  CISOLVE_HOST_DEVICE Index position(Index row, Index k) const {
    const Index slice = row / slice_height;
    return slice_offsets[slice] + k * slice_height + (row - slice * slice_height);
  }
  CISOLVE_HOST_DEVICE double value(Index row, int number) const {
    return diagonal != nullptr && number == kDiagonalCode ? diagonal[row] : table[number];
  }

  /// Calls visit(column, value) for the elements of `row` assigned to `lane` of `lanes` threads.
  template <class Visit>
  CISOLVE_HOST_DEVICE void visit(Index row, int lane, int lanes, Visit&& visit) const {
    const Index end = width(row / slice_height);
    const Index first = position(row, 0);
    for (Index k = lane; k < end; k += lanes) {
      const Column j = column[first + k * slice_height];
      if (j < 0) return;
      visit(Index{j}, value(row, code[first + k * slice_height]));
    }
  }
};

struct CodedSliced {
  using View = CodedSlicedView;
  static constexpr std::string_view name = "sell";
  MatrixShape shape;
  Index slice_height;
  Index elements;
  base::Array<Index> slice_offsets;
  base::Array<Column> columns;
  base::Array<std::uint8_t> codes;
  base::Array<double> table;     // ascending; -0 before 0
  base::Array<double> diagonal;  // empty if the table has it

  Index nonzeros() const { return elements; }
  ValueEncoding values() const { return ValueEncoding::coded; }
  Index slices() const { return slice_offsets.size() - 1; }
  MemoryUse memory() const;
  CodedSlicedView view() const;
  CodedSliced to(const base::Backend& target) const;
  void write_components(std::ostream& out) const;
};

/// Upper bound of the memory: a full table and a separate diagonal.
MemoryUse plan_coded_sliced(std::span<const Column> lengths, const FormatOptions& options);

/// Returns nullopt, as soon as the rows show it, if there are more values than codes; the partial
/// matrix is then freed.
std::optional<CodedSliced> build_coded_sliced(const RowSource& rows, const FormatOptions& options,
                                              const base::Backend& host);

/// Builds in the device's memory. Needs 16 bytes per row and the plain values of a batch of slices
/// besides the matrix: `scratch` positions, by default (0) half of the free memory, at most 64
/// million.
std::optional<CodedSliced> build_coded_sliced(const DeviceRows& rows, const FormatOptions& options,
                                              Index scratch = 0);

}  // namespace cisolve::sparse
