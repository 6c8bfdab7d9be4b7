#include "ci/hamiltonian/rows/chosen_rows.hpp"

#include <algorithm>
#include <numeric>

#include "ci/hamiltonian/rows/row_reader.hpp"

namespace cisolve::ci {
namespace {

constexpr const char* kChosen = "the numbers of selected rows";

}  // namespace

ChosenRows::ChosenRows(const HamiltonianRows& h, std::span<const Column> rows)
    : h_(h), chosen_(base::Array<Column>::copy_of(rows, h.space().host(), kChosen)) {}

ChosenRows::ChosenRows(const HamiltonianRows& h)
    : h_(h), chosen_(h.space().host(), h.space().dimension(), kChosen) {
  std::iota(chosen_.span().begin(), chosen_.span().end(), 0);
}

sparse::MatrixShape ChosenRows::shape() const {
  return {chosen_.size(), h_.space().dimension(), 0, false};
}

void ChosenRows::count(Index first, std::span<Column> lengths) const {
  RowReader(h_).count(rows_of(first, first + std::ssize(lengths)), lengths);
}

void ChosenRows::fill(Index first, Index last, std::span<Column> columns,
                      std::span<double> values) const {
  auto column = columns.begin();
  auto value = values.begin();
  RowReader(h_).read(rows_of(first, last),
                     [&](std::span<const Column> row_columns, std::span<const double> row_values) {
                       column = std::ranges::copy(row_columns, column).out;
                       value = std::ranges::copy(row_values, value).out;
                     });
}

std::vector<Index> ChosenRows::rows_of(Index first, Index last) const {
  const auto rows = chosen_.span().subspan(first, last - first);
  return {rows.begin(), rows.end()};
}

}  // namespace cisolve::ci
