#include "ci/hamiltonian/chosen_rows.hpp"

#include <algorithm>
#include <numeric>

#include "ci/hamiltonian/hamiltonian_walk.hpp"

namespace cisolve::ci {
namespace {

constexpr const char* kChosen = "the numbers of chosen rows";

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
  RowWalk walk(h_);
  for (Column& length : lengths) {
    CountingSink sink;
    walk.walk(h_.space().place_of(chosen_[first++]), sink);
    length = static_cast<Column>(sink.count());
  }
}

void ChosenRows::fill(Index first, Index last, std::span<Column> columns,
                      std::span<double> values) const {
  RowWalk walk(h_);
  WritingSink sink;
  auto column = columns.begin();
  auto value = values.begin();
  for (Index row = first; row < last; ++row) {
    const Space::Place place = h_.space().place_of(chosen_[row]);
    sink.begin(h_.most_elements(place));
    walk.walk(place, sink);
    column = std::ranges::copy(sink.columns(), column).out;
    value = std::ranges::copy(sink.values(), value).out;
  }
}

}  // namespace cisolve::ci
