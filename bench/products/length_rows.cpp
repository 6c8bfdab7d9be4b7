#include "bench/products/length_rows.hpp"

#include <algorithm>
#include <cmath>

#include "sparse/generate/generator_random.hpp"

namespace cisolve::bench {
namespace {

enum Purpose : std::uint64_t { kLength, kElements };

base::RandomStream stream(std::uint64_t seed, Purpose purpose, Index row) {
  return {base::mix(seed, purpose), static_cast<std::uint64_t>(row)};
}

}  // namespace

LengthRows::LengthRows(const LengthStatistics& statistics) : statistics_(statistics) {
  if (statistics.mean <= 0) return;
  const double ratio = statistics.deviation / statistics.mean;
  const double variance = std::log1p(ratio * ratio);
  log_mean_ = std::log(statistics.mean) - variance / 2;
  log_deviation_ = std::sqrt(variance);
}

// Rounded at random, so that the mean of short rows is kept.
Index LengthRows::length(Index row) const {
  if (statistics_.mean <= 0) return 0;
  const base::RandomStream random = stream(statistics_.seed, kLength, row);
  const double drawn = std::exp(log_mean_ + log_deviation_ * sparse::normal(random));
  base::RandomStream fraction(base::mix(statistics_.seed, 7), static_cast<std::uint64_t>(row));
  const auto whole = static_cast<Index>(drawn + (log_deviation_ > 0 ? fraction.uniform() : 0.5));
  return std::clamp<Index>(whole, 0, statistics_.columns);
}

void LengthRows::count(Index first, std::span<Column> lengths) const {
  for (Column& one : lengths) one = static_cast<Column>(length(first++));
}

void LengthRows::fill(Index first, Index last, std::span<Column> columns,
                      std::span<double> values) const {
  std::size_t next = 0;
  for (Index row = first; row < last; ++row) {
    base::RandomStream random = stream(statistics_.seed, kElements, row);
    const Index elements = length(row);
    for (Index k = 0; k < elements; ++k, ++next) {
      const Index begin = statistics_.columns * k / elements;
      const Index end = statistics_.columns * (k + 1) / elements;
      columns[next] = static_cast<Column>(
          begin + static_cast<Index>(random.below(static_cast<std::uint64_t>(end - begin))));
      values[next] = sparse::nonzero_value(random.next());
    }
  }
}

}  // namespace cisolve::bench
