#pragma once

#include <cstdint>
#include <iosfwd>

#include "base/array.hpp"
#include "sparse/formats/options.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// Compressed sparse blocks (Buluc et al. 2009) as a kernel sees them: square blocks in row-major
/// order; elements of a block by row, then column, with 16-bit indices within the block.
struct CsbView {
  Index rows = 0;
  Index columns = 0;
  Index block_size = 1;
  Index block_rows = 0;
  Index block_columns = 0;
  const Index* block_offsets = nullptr;
  const std::uint16_t* row = nullptr;
  const std::uint16_t* column = nullptr;
  const double* value = nullptr;
};

struct Csb {
  using View = CsbView;
  static constexpr std::string_view name = "csb";
  MatrixShape shape;
  Index block_size;
  Index block_rows;
  Index block_columns;
  base::Array<Index> block_offsets;
  base::Array<std::uint16_t> rows;
  base::Array<std::uint16_t> columns;
  base::Array<double> values;

  Index nonzeros() const { return values.size(); }
  MemoryUse memory() const;
  CsbView view() const;
  Csb to(const base::Backend& target) const;
  void write_components(std::ostream& out) const;
};

/// Largest block size: a device keeps one block of the result in shared memory.
inline constexpr Index kLargestCsbBlock = 8192;

/// Memory of the format.
MemoryUse plan_csb(const MatrixShape& shape, Index nonzeros, const FormatOptions& options);

/// The block size is options.block_size or, if automatic, the power of two near the square root of
/// the dimension.
Csb build_csb(const RowSource& rows, const FormatOptions& options, const base::Backend& host);

}  // namespace cisolve::sparse
