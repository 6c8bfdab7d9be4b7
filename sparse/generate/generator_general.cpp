#include "sparse/generate/generator_general.hpp"

#include <algorithm>
#include <cmath>

#include "sparse/generate/generator_random.hpp"

namespace cisolve::sparse {
namespace {

enum GeneralPurpose : std::uint64_t { kLength, kColumns, kValues };

base::RandomStream stream(const GeneratorOptions& options, GeneralPurpose purpose, Index row) {
  return {base::mix(options.seed, purpose), static_cast<std::uint64_t>(row)};
}

}  // namespace

GeneralRows::GeneralRows(const GeneratorOptions& options)
    : options_(options), shape_{options.rows, options.rows, reference_columns(options), false} {}

Index GeneralRows::expansion_length(Index row) const {
  const auto most = static_cast<double>(shape_.columns - shape_.reference_columns);
  const double length =
      options_.density * most + options_.spread * normal(stream(options_, kLength, row));
  return std::llround(std::clamp(length, 0.0, most));
}

void GeneralRows::count(Index first, std::span<Column> lengths) const {
  for (Column& length : lengths)
    length = static_cast<Column>(options_.reference_per_row + expansion_length(first++));
}

void GeneralRows::fill(Index first, Index last, std::span<Column> columns,
                       std::span<double> values) const {
  const Index border = shape_.reference_columns;
  DistinctNumbers distinct(std::max(border, shape_.columns - border));
  Column* column = columns.data();
  double* value = values.data();
  for (Index row = first; row < last; ++row) {
    const Column* const begin = column;
    base::RandomStream where = stream(options_, kColumns, row);
    distinct.draw(border, options_.reference_per_row, where,
                  [&](Index c) { *column++ = static_cast<Column>(c); });
    distinct.draw(shape_.columns - border, expansion_length(row), where,
                  [&](Index c) { *column++ = static_cast<Column>(border + c); });
    base::RandomStream what = stream(options_, kValues, row);
    value = std::generate_n(value, column - begin, [&] { return nonzero_value(what.next()); });
  }
}

}  // namespace cisolve::sparse
