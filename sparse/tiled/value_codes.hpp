#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sparse/rows/value_table.hpp"
#include "sparse/tiled/tiled.hpp"

// Which values of a matrix are held as codes, and how an element finds its code.
namespace cisolve::sparse {

/// The magnitudes that have a number, in the order of their numbers: the most frequent first.
struct MagnitudeCodes {
  std::vector<double> magnitudes;
  double share = 0;  // of the elements of a sample that have such a magnitude

  /// Fewer elements with a code are not worth the table: the others are a tail.
  bool worthwhile() const { return share >= 0.75; }
};

/// Of the values of a sample; among `common`, where there are any, else among all that the sample
/// has more than once.
MagnitudeCodes choose_codes(std::span<const double> common, std::span<const double> sample);

/// Rows [first, last) of a sample that is the same each time, by the places of all rows.
struct SampledRange {
  Index first;
  Index last;
};
std::vector<SampledRange> sampled_rows(std::span<const Index> offsets);

/// The codes with which a matrix is to be laid out; nothing where it is held plain. `read` gives
/// the values of some of its rows.
std::optional<MagnitudeCodes> codes_for(
    const MatrixShape& shape, std::span<const Index> offsets, const TileGeometry& geometry,
    const std::function<std::vector<double>(const SampledRange&)>& read);

/// On the host, from the rows of a source.
std::optional<MagnitudeCodes> codes_for(const RowSource& rows, std::span<const Column> lengths,
                                        std::span<const Index> offsets,
                                        const TileGeometry& geometry);

/// Finds the codes of values.
struct ValueCoder {
  ValueTableView table;
  const std::uint16_t* numbers = nullptr;  // of the table's magnitudes

  /// -1 for a value that has none.
  CISOLVE_HOST_DEVICE int code_of(double value) const {
    const Index place = table.number_of(value);
    return place < 0 ? -1 : numbers[place] | (value < 0 ? kValueSign : 0);
  }
};

/// What a ValueCoder looks at, on a backend.
class ValueNumbers {
 public:
  ValueNumbers(std::span<const double> magnitudes, const base::Backend& backend);
  ValueCoder coder() const { return {{sorted_.data(), sorted_.size()}, numbers_.data()}; }

 private:
  base::Array<double> sorted_;
  base::Array<std::uint16_t> numbers_;
};

// On their way into tiles codes take the places of values: their bits are those of a double.
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

/// Those elements of a source that have a code, with the code in place of the value; or the others,
/// as they are. Either have about the lengths that the source's rows have.
class PartOfRows final : public RowSource {
 public:
  enum class Part { coded, other };
  PartOfRows(const RowSource& rows, std::span<const Column> lengths, ValueCoder coder, Part part)
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
  std::span<const Column> lengths_;  // of the source's rows
  ValueCoder coder_;
  Part part_;
};

/// With room for so many magnitudes, or for the most frequent of them, beside the tiles.
TileGeometry beside_magnitudes(const TileGeometry& geometry, Index magnitudes);

/// Nearly what the format would hold where so many elements have codes.
MemoryUse plan_coded_tiles(const MatrixShape& shape, Index coded, Index others, Index magnitudes,
                           const TileGeometry& geometry);

}  // namespace cisolve::sparse
