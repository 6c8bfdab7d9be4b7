#include "ci/factorised/string_matrix.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kStringsGrain = 32;

/// Strings of one spin, by which a matrix numbers its rows.
struct Strings {
  const RowTablesView::Connections& connections;
  const double* energies;       // of all strings of the spin
  std::vector<Column> numbers;  // of the strings here, ascending
  std::vector<Column> places;   // of all strings; -1 where one is not here
  double added = 0;             // to the diagonal

  Strings(const RowTablesView::Connections& all, const double* energy_of,
          std::vector<Column> of_strings, Index count)
      : connections(all), energies(energy_of), numbers(std::move(of_strings)), places(count, -1) {
    for (std::size_t i = 0; i < numbers.size(); ++i) places[numbers[i]] = static_cast<Column>(i);
  }

  Index size() const { return std::ssize(numbers); }

  /// Calls visit(place, value) for the elements of a row, the diagonal too.
  template <class Visit>
  void for_each(Index row, Visit&& visit) const {
    const Column string = numbers[row];
    for (Index k = connections.offsets[string]; k < connections.offsets[string + 1]; ++k) {
      const Connection& to = connections.all[k];
      if (places[to.target] < 0) continue;
      const bool is_self = to.code == Connection::kSelf;
      const double value = is_self ? energies[string] + added
                                   : (to.is_single() ? to.pair().sign() * to.value : to.value);
      if (is_self || value != 0) visit(Index{places[to.target]}, value);
    }
  }
};

/// The rows, those of one connected part after those of another, each part in its old order.
std::vector<Index> by_parts(const Strings& strings) {
  std::vector<Index> part(strings.size());
  std::iota(part.begin(), part.end(), 0);
  const auto root = [&](Index i) {
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
  };
  Index parts = strings.size();
  for (Index i = 0; i < strings.size() && parts > 1; ++i)  // most often a few rows join all
    strings.for_each(i, [&](Index j, double) {
      const Index a = root(i);
      const Index b = root(j);
      if (a == b) return;
      part[std::max(a, b)] = std::min(a, b);
      --parts;
    });
  std::vector<Index> order(strings.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, root);
  return order;
}

StringMatrix matrix_of(const Strings& strings, const base::Backend& host) {
  constexpr auto kWhat = "the matrices of strings";
  const Index rows = strings.size();
  std::vector<Index> order = by_parts(strings);
  std::vector<Column> row_of(rows);
  for (Index row = 0; row < rows; ++row) row_of[order[row]] = static_cast<Column>(row);

  base::Array<Index> offsets(host, rows + 1, kWhat);
  offsets[0] = 0;
  base::for_each_chunk(rows, kStringsGrain, host, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      Index count = 0;
      strings.for_each(order[row], [&](Index, double) { ++count; });
      offsets[row + 1] = count;
    }
  });
  std::partial_sum(offsets.span().begin(), offsets.span().end(), offsets.span().begin());

  base::Array<Column> columns(host, offsets[rows], kWhat);
  base::Array<double> values(host, offsets[rows], kWhat);
  base::for_each_chunk(rows, kStringsGrain, host, [&](Index first, Index last) {
    std::vector<std::pair<Column, double>> elements;
    for (Index row = first; row < last; ++row) {
      elements.clear();
      strings.for_each(order[row], [&](Index place, double value) {
        elements.emplace_back(row_of[place], value);
      });
      std::ranges::sort(elements, {}, &std::pair<Column, double>::first);
      for (std::size_t k = 0; k < elements.size(); ++k) {
        columns[offsets[row] + static_cast<Index>(k)] = elements[k].first;
        values[offsets[row] + static_cast<Index>(k)] = elements[k].second;
      }
    }
  });
  return {std::move(offsets), std::move(columns), std::move(values), std::move(order)};
}

}  // namespace

StringMatrix alpha_matrix(const RowTablesView& t, std::span<const Column> alphas,
                          const base::Backend& host) {
  Strings strings(t.alpha, t.alpha_energy, {alphas.begin(), alphas.end()}, t.alphas);
  strings.added = t.core_energy / 2;
  return matrix_of(strings, host);
}

StringMatrix beta_matrix(const RowTablesView& t, Index list, const base::Backend& host) {
  std::vector<Column> members(t.members + t.list_offsets[list],
                              t.members + t.list_offsets[list + 1]);
  Strings strings(t.beta, t.beta_energy, std::move(members), t.betas);
  strings.added = t.core_energy / 2;
  return matrix_of(strings, host);
}

}  // namespace cisolve::ci
