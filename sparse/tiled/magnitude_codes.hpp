#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sparse/rows/value_table.hpp"
#include "sparse/tiled/tiled.hpp"

// Choice of the values that are coded, and look-up of an element's code.
namespace cisolve::sparse {

/// Coded magnitudes in the order of their numbers, the most frequent first.
struct MagnitudeCodes {
  std::vector<double> magnitudes;
  double share = 0;  // fraction of a sample's elements with a coded magnitude

  /// Below this, the table does not pay: the other elements form the tail.
  bool worthwhile() const { return share >= 0.75; }
};

/// Chooses codes from a sample's values: among `common` if not empty, else among all magnitudes
/// that occur more than once.
MagnitudeCodes choose_codes(std::span<const double> common, std::span<const double> sample);

/// Rows [first, last) of a sample, deterministic for given row offsets.
struct SampledRange {
  Index first;
  Index last;
};
std::vector<SampledRange> sampled_rows(std::span<const Index> offsets);

/// Codes for the matrix; nullopt if it is to be stored plain. `read` returns the values of some of
/// its rows.
std::optional<MagnitudeCodes> codes_for(
    const MatrixShape& shape, std::span<const Index> offsets, const TileGeometry& geometry,
    const std::function<std::vector<double>(const SampledRange&)>& read);

/// Codes for a matrix on the host, from the rows of a source.
std::optional<MagnitudeCodes> codes_for(const RowSource& rows, std::span<const Column> lengths,
                                        std::span<const Index> offsets,
                                        const TileGeometry& geometry);

/// Looks up the codes of values.
struct ValueCoder {
  ValueTableView table;
  const std::uint16_t* numbers = nullptr;  // numbers of the table's magnitudes

  /// Returns -1 for a value without a code.
  CISOLVE_HOST_DEVICE int code_of(double value) const {
    const Index place = table.number_of(value);
    return place < 0 ? -1 : numbers[place] | (value < 0 ? kValueSign : 0);
  }
};

/// Arrays of a ValueCoder on a backend.
class ValueNumbers {
 public:
  ValueNumbers(std::span<const double> magnitudes, const base::Backend& backend);
  ValueCoder coder() const { return {{sorted_.data(), sorted_.size()}, numbers_.data()}; }

 private:
  base::Array<double> sorted_;
  base::Array<std::uint16_t> numbers_;
};

// During layout, codes replace values: their bits are stored in a double.
CISOLVE_HOST_DEVICE inline double code_as_value(unsigned code) {
  const std::uint64_t bits = code;
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
CISOLVE_HOST_DEVICE inline unsigned value_as_code(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<unsigned>(bits);
}

/// The elements of a source that have a code, with the code as value; or the other elements
/// unchanged. Neither selection changes the row lengths much.
class CodeFilteredRows final : public RowSource {
 public:
  enum class Part { coded, other };
  CodeFilteredRows(const RowSource& rows, std::span<const Column> lengths, ValueCoder coder,
                   Part part)
      : rows_(rows), lengths_(lengths), coder_(coder), part_(part) {}

  MatrixShape shape() const override { return rows_.shape(); }
  Index grain() const override { return rows_.grain(); }
  void count(Index first, std::span<Column> lengths) const override;
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override;

 private:
  template <class Take>
  void for_each(Index first, Index last, Take&& take) const;

  const RowSource& rows_;
  std::span<const Column> lengths_;  // lengths of the source's rows
  ValueCoder coder_;
  Part part_;
};

/// Reserves shared memory for the magnitudes, or for the most frequent of them.
TileGeometry reserve_for_magnitudes(const TileGeometry& geometry, Index magnitudes);

/// Estimated memory if `coded` elements have codes and `others` form the tail.
MemoryUse plan_coded_tiles(const MatrixShape& shape, Index coded, Index others, Index magnitudes,
                           const TileGeometry& geometry);

}  // namespace cisolve::sparse
