#pragma once

#include <optional>
#include <span>

#include "base/array.hpp"
#include "sparse/rows/shape.hpp"

// How the rows of a CSR matrix are dealt out to the blocks of threads of a device: in shares of
// about equally many elements. A row that is longer than a share is several, whose sums are parts
// of its own.
namespace cisolve::sparse {

/// A share ends where the next one begins.
struct RowShare {
  Index first;  // element
  Column row;
  Column part;  // -1: whole rows; else the number of this part, of one row alone
};

/// A row of several shares; its parts end where those of the next one begin.
struct LongRow {
  Column row;
  Column first_part;
};

/// What a block of threads can hold, counted from the last multiple of kShareAlignment.
constexpr int kShareElements = 1024;
constexpr int kShareRows = 1024;
constexpr int kShareAlignment = 16;  // elements: whole lines of values, whole sectors of columns

/// Shares as a kernel sees them.
struct ShareView {
  const RowShare* share = nullptr;
  Index count = 0;  // of shares; one more is their end
  const LongRow* long_row = nullptr;
  Index long_rows = 0;  // likewise
  Index parts = 0;
  bool even = true;
};

struct CsrShares {
  base::Array<RowShare> shares;
  base::Array<LongRow> long_rows;
  Index parts;
  bool even;  // some threads a row would all have about as much to do

  Index bytes() const { return shares.bytes() + long_rows.bytes(); }
  ShareView view() const {
    return {shares.data(), shares.size() - 1, long_rows.data(), long_rows.size() - 1, parts, even};
  }
  CsrShares to(const base::Backend& target) const {
    return {shares.to(target), long_rows.to(target), parts, even};
  }
};

/// What a device holds of rows of such lengths beside the arrays of the format.
Index share_bytes(std::span<const Column> lengths);

/// The shares of rows with such offsets, in the memory of `target`. None where the rows are many,
/// long and even, so that a warp each does as well.
std::optional<CsrShares> share_out(std::span<const Index> offsets, const base::Backend& target);

}  // namespace cisolve::sparse
