#include <algorithm>
#include <cmath>
#include <vector>

#include "base/loops.hpp"
#include "bench/products/kernels/csr5.hpp"

namespace cisolve::bench {
namespace {

using base::Array;

/// Non-empty and empty rows.
struct Occupied {
  std::vector<Column> rows;
  std::vector<Column> empty;
};

Occupied occupied_rows(const sparse::Csr& csr) {
  Occupied result;
  for (Index row = 0; row < csr.shape.rows; ++row) {
    auto& list = csr.offsets[row] == csr.offsets[row + 1] ? result.empty : result.rows;
    list.push_back(static_cast<Column>(row));
  }
  return result;
}

/// Fills one tile, whose first element is number `begin`.
void fill_tile(const sparse::Csr& csr, Index tile, Csr5& result) {
  const Index size = Index{kCsr5Lanes} * result.sigma;
  const Index begin = tile * size;
  for (int lane = 0; lane < kCsr5Lanes; ++lane)
    for (int j = 0; j < result.sigma; ++j) {
      const Index from = begin + Index{lane} * result.sigma + j;
      const Index to = begin + Index{j} * kCsr5Lanes + lane;
      const bool inside = from < csr.nonzeros();
      result.columns[to] = inside ? csr.columns[from] : -1;
      result.values[to] = inside ? csr.values[from] : 0;
    }
}

/// Marks the elements that begin a row, and counts them before each lane and each tile.
void fill_descriptors(const sparse::Csr& csr, const std::vector<Column>& rows, Csr5& result) {
  const Index size = Index{kCsr5Lanes} * result.sigma;
  std::fill_n(result.flags.data(), result.flags.size(), 0U);
  std::size_t next = 0;
  for (Index tile = 0; tile < result.tiles(); ++tile) {
    result.rows_before[tile] = static_cast<Column>(next);
    const std::size_t first = next;
    for (int lane = 0; lane < kCsr5Lanes; ++lane) {
      const Index begin = tile * size + Index{lane} * result.sigma;
      const Index place = tile * kCsr5Lanes + lane;
      result.skips[place] = static_cast<std::uint16_t>(next - first);
      for (; next < rows.size() && csr.offsets[rows[next]] < begin + result.sigma; ++next)
        result.flags[place] |= 1U << (csr.offsets[rows[next]] - begin);
    }
  }
}

}  // namespace

int csr5_sigma(double mean_row) {
  constexpr int least = 4;
  constexpr int most = 32;  // the bits of a lane's flags
  constexpr double long_rows = 256;
  constexpr int of_long_rows = 6;
  if (mean_row > long_rows) return of_long_rows;
  return std::clamp(static_cast<int>(std::lround(mean_row)), least, most);
}

Csr5 build_csr5(const Workload& matrix, int sigma) {
  const sparse::Csr& csr = matrix.csr();
  const base::Backend& host = csr.values.backend();
  const Occupied occupied = occupied_rows(csr);
  const Index size = Index{kCsr5Lanes} * sigma;
  const Index tiles = (csr.nonzeros() + size - 1) / size;
  const bool all = occupied.empty.empty();
  Csr5 result{sigma,
              Array<Column>(host, tiles * size, "the CSR5 columns"),
              Array<double>(host, tiles * size, "the CSR5 values"),
              Array<std::uint32_t>(host, tiles * kCsr5Lanes, "the CSR5 flags"),
              Array<std::uint16_t>(host, tiles * kCsr5Lanes, "the CSR5 offsets of lanes"),
              Array<Column>(host, tiles, "the CSR5 rows of tiles"),
              Array<Column>::copy_of(all ? std::span<const Column>() : occupied.rows, host,
                                     "the CSR5 row numbers"),
              Array<Column>::copy_of(occupied.empty, host, "the CSR5 empty rows")};
  base::for_each_chunk(tiles, 64, host, [&](Index first, Index last) {
    for (Index tile = first; tile < last; ++tile) fill_tile(csr, tile, result);
  });
  fill_descriptors(csr, occupied.rows, result);
  return result;
}

Index Csr5::bytes() const {
  return columns.bytes() + values.bytes() + flags.bytes() + skips.bytes() + rows_before.bytes() +
         row_numbers.bytes() + empty_rows.bytes();
}

Csr5View Csr5::view() const {
  return {tiles(),
          sigma,
          columns.data(),
          values.data(),
          flags.data(),
          skips.data(),
          rows_before.data(),
          row_numbers.size() == 0 ? nullptr : row_numbers.data(),
          empty_rows.size(),
          empty_rows.data()};
}

Csr5 Csr5::to(const base::Backend& target) const {
  return {sigma,
          columns.to(target),
          values.to(target),
          flags.to(target),
          skips.to(target),
          rows_before.to(target),
          row_numbers.to(target),
          empty_rows.to(target)};
}

}  // namespace cisolve::bench
