#include "ci/hamiltonian/factorised/same_spin_matrix.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/loops.hpp"
#include "ci/hamiltonian/factorised/string_order.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kMatricesLabel = "the string matrices";
constexpr Index kStringsGrain = 32;

/// Strings of one spin with a common list of strings of the other. A row is here a position in
/// `numbers`, before string_order().
struct Strings {
  const RowTablesView& t;
  Spin spin;
  std::vector<Column> numbers;  // the string of each row, ascending
  std::vector<Column> places;   // row of each string of the spin; -1: none
  double added;                 // energy added to the diagonal

  Strings(const RowTablesView& tables, Spin of_spin, std::vector<Column> of_strings,
          double to_diagonal)
      : t(tables),
        spin(of_spin),
        numbers(std::move(of_strings)),
        places(of_spin == Spin::alpha ? t.alphas : t.betas, -1),
        added(to_diagonal) {
    for (std::size_t i = 0; i < numbers.size(); ++i) places[numbers[i]] = static_cast<Column>(i);
  }

  Index size() const { return std::ssize(numbers); }

  /// Calls visit(connection, value) for the elements of a row, the diagonal too.
  template <class Visit>
  void for_each(Index row, Visit&& visit) const {
    const RowTablesView::Connections& connections = spin == Spin::alpha ? t.alpha : t.beta;
    const double* energies = spin == Spin::alpha ? t.alpha_energy : t.beta_energy;
    const Column string = numbers[row];
    for (Index k = connections.offsets[string]; k < connections.offsets[string + 1]; ++k) {
      const Connection& to = connections.all[k];
      if (places[to.target] < 0) continue;
      const bool is_self = to.code == Connection::kSelf;
      const double value = is_self ? energies[string] + added
                                   : (to.is_single() ? to.pair().sign() * to.value : to.value);
      if (is_self || value != 0) visit(to, value);
    }
  }

  std::span<const std::uint8_t> electrons_of(Index row) const {
    const int count = t.electrons[static_cast<int>(spin)];
    return {t.occupied[static_cast<int>(spin)] + numbers[row] * Index{count},
            static_cast<std::size_t>(count)};
  }
};

/// CSR offsets of rows with count_of(row) elements.
template <class CountOf>
base::Array<Index> offsets_of(Index rows, const base::Backend& host, CountOf&& count_of) {
  base::Array<Index> offsets(host, rows + 1, kMatricesLabel);
  offsets[0] = 0;
  base::for_each_chunk(rows, kStringsGrain, host, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) offsets[row + 1] = count_of(row);
  });
  std::partial_sum(offsets.span().begin(), offsets.span().end(), offsets.span().begin());
  return offsets;
}

SameSpinPattern pattern_of(const Strings& strings, const base::Backend& host) {
  auto offsets = offsets_of(strings.size(), host, [&](Index row) {
    Index count = 0;
    strings.for_each(row, [&](const Connection&, double) { ++count; });
    return count;
  });
  base::Array<Column> columns(host, offsets[strings.size()], kMatricesLabel);
  base::for_each_chunk(strings.size(), kStringsGrain, host, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      Column* next = columns.data() + offsets[row];
      strings.for_each(row,
                       [&](const Connection& to, double) { *next++ = strings.places[to.target]; });
    }
  });
  return {std::move(offsets), std::move(columns)};
}

/// Connected components of orbitals under single excitations, each named by its lowest orbital. A
/// sample of rows suffices: a missed connection makes the order only a little worse.
std::vector<int> orbital_groups(const Strings& strings) {
  constexpr Index kRowsLookedAt = 2000;
  std::vector<int> group(strings.t.orbitals);
  std::iota(group.begin(), group.end(), 0);
  std::vector<bool> is_met;  // pairs of orbitals
  const auto join = [&](Index row, const Connection& to) {
    const auto pair = static_cast<std::size_t>(to.pair().pair());
    if (pair >= is_met.size()) is_met.resize(pair + 1, false);
    if (is_met[pair]) return;
    is_met[pair] = true;
    std::array<std::uint8_t, 2> moved{};
    const auto a = strings.electrons_of(row);
    const auto b = strings.electrons_of(strings.places[to.target]);
    std::ranges::set_symmetric_difference(a, b, moved.begin());
    const auto [least, most] = std::minmax({group[moved[0]], group[moved[1]]});
    std::ranges::replace(group, most, least);
  };
  const Index step = strings.size() / kRowsLookedAt + 1;
  for (Index row = 0; row < strings.size(); row += step)
    strings.for_each(row, [&](const Connection& to, double) {
      if (to.is_single()) join(row, to);
    });
  return group;
}

std::vector<Index> order_of(const Strings& strings, const base::Backend& host) {
  StringOrbitals orbitals{.orbitals = strings.t.orbitals,
                          .electrons = strings.t.electrons[static_cast<int>(strings.spin)],
                          .occupied = {},
                          .groups = orbital_groups(strings)};
  for (Index row = 0; row < strings.size(); ++row)
    orbitals.occupied.push_back(strings.electrons_of(row).data());
  return string_order(pattern_of(strings, host), orbitals, host);
}

SameSpinMatrix matrix_of(const Strings& strings, const base::Backend& host) {
  const Index rows = strings.size();
  std::vector<Index> order = order_of(strings, host);
  std::vector<Column> row_of(rows);
  for (Index row = 0; row < rows; ++row) row_of[order[row]] = static_cast<Column>(row);

  auto offsets = offsets_of(rows, host, [&](Index row) {
    Index count = 0;
    strings.for_each(order[row], [&](const Connection&, double) { ++count; });
    return count;
  });
  base::Array<Column> columns(host, offsets[rows], kMatricesLabel);
  base::Array<double> values(host, offsets[rows], kMatricesLabel);
  base::for_each_chunk(rows, kStringsGrain, host, [&](Index first, Index last) {
    std::vector<std::pair<Column, double>> elements;
    for (Index row = first; row < last; ++row) {
      elements.clear();
      strings.for_each(order[row], [&](const Connection& to, double value) {
        elements.emplace_back(row_of[strings.places[to.target]], value);
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

SameSpinMatrix copy_of(const SameSpinMatrix& matrix, const base::Backend& host) {
  return {base::Array<Index>::copy_of(matrix.offsets.span(), host, kMatricesLabel),
          base::Array<Column>::copy_of(matrix.columns.span(), host, kMatricesLabel),
          base::Array<double>::copy_of(matrix.values.span(), host, kMatricesLabel), matrix.strings};
}

/// Whether both have the same orbitals and the same elements, row by row.
bool are_alike(const Strings& some, const Strings& others, const base::Backend& host) {
  if (some.size() != others.size()) return false;
  std::atomic<bool> alike = true;
  base::for_each_chunk(some.size(), kStringsGrain, host, [&](Index first, Index last) {
    using Elements = std::vector<std::pair<Column, double>>;
    Elements here;
    Elements there;
    const auto take = [](const Strings& strings, Index row, Elements& elements) {
      elements.clear();
      strings.for_each(row, [&](const Connection& to, double value) {
        elements.emplace_back(strings.places[to.target], value);
      });
    };
    for (Index row = first; row < last && alike; ++row) {
      take(some, row, here);
      take(others, row, there);
      if (here != there || !std::ranges::equal(some.electrons_of(row), others.electrons_of(row)))
        alike = false;
    }
  });
  return alike;
}

}  // namespace

/// Copies the alpha matrix if the beta one is alike: finding an order takes longer than checking.
SameSpinMatrices same_spin_matrices(const RowTablesView& t, std::span<const Column> alphas,
                                    Index list, const base::Backend& host) {
  const double added = t.core_energy / 2;
  const Strings alpha(t, Spin::alpha, {alphas.begin(), alphas.end()}, added);
  const Strings beta(t, Spin::beta,
                     {t.members + t.list_offsets[list], t.members + t.list_offsets[list + 1]},
                     added);
  SameSpinMatrix matrix = matrix_of(alpha, host);
  const bool alike = are_alike(alpha, beta, host);
  SameSpinMatrix other = alike ? copy_of(matrix, host) : matrix_of(beta, host);
  return {std::move(matrix), std::move(other), alike};
}

}  // namespace cisolve::ci
