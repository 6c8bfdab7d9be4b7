#include "ci/hamiltonian/rows/connections.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "base/loops.hpp"
#include "ci/fock/spaces/strings_with_fewer_electrons.hpp"
#include "ci/hamiltonian/rows/slater_condon.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kStringsPerChunk = 16;

String all_of(std::span<const String> strings) {
  String all;
  for (const String& string : strings) all = all | string;
  return all;
}

String common_of(std::span<const String> strings) {
  String common = String::below(kMostOrbitals);
  for (const String& string : strings) common = common & string;
  return common;
}

/// Pairs of same-spin electrons that an integral above the threshold moves. On a lattice or in an
/// impurity model no integral moves most pairs, so their double excitations are not searched.
class MovingPairs {
 public:
  /// `searches`: expected number of queries; if it is small, all pairs count as moving.
  MovingPairs(const VariableOrbitals& variable, const Integrals& integrals, Spin spin,
              double threshold, double searches) {
    const std::vector<int>& orbitals = variable.orbitals();
    const auto pairs = static_cast<double>(variable.pairs());
    if (pairs * pairs > searches) return;
    moves_.assign(kMostOrbitals * kMostOrbitals, false);
    for_each_pair(orbitals, [&](int i, int j) {
      moves_[place(i, j)] = any_pair(orbitals, [&](int a, int b) {
        return a != i && a != j && b != i && b != j &&
               std::abs(double_value(integrals, spin, i, j, a, b)) > threshold;
      });
    });
  }

  bool may_move(const MovedOrbitals& from) const {
    return moves_.empty() || moves_[place(from.first, from.second)];
  }

 private:
  static std::size_t place(int i, int j) {
    return static_cast<std::size_t>(i) * kMostOrbitals + static_cast<std::size_t>(j);
  }

  /// Calls take(i, j) for each pair of ascending orbitals.
  template <class Take>
  static void for_each_pair(const std::vector<int>& orbitals, Take&& take) {
    any_pair(orbitals, [&](int i, int j) {
      take(i, j);
      return false;
    });
  }
  template <class Holds>
  static bool any_pair(const std::vector<int>& orbitals, Holds&& holds) {
    for (std::size_t j = 0; j < orbitals.size(); ++j)
      for (std::size_t i = 0; i < j; ++i)
        if (holds(orbitals[i], orbitals[j])) return true;
    return false;
  }

  std::vector<bool> moves_;  // empty: all pairs move
};

double searches_of(const Space& space, Spin spin) {
  const auto electrons = static_cast<double>(space.electrons(spin));
  return static_cast<double>(space.strings(spin).size()) * electrons * (electrons - 1) / 2;
}

/// Finds the connections of one string after another.
class ConnectionFinder {
 public:
  ConnectionFinder(const Space& space, Spin spin, const Integrals& integrals,
                   const VariableOrbitals& variable, double threshold)
      : space_(space),
        spin_(spin),
        integrals_(integrals),
        variable_(variable),
        threshold_(threshold),
        moving_(variable, integrals, spin, threshold, searches_of(space, spin)),
        one_fewer_(space, spin, 1),
        two_fewer_(space, spin, 2) {}

  /// Finds the connections of a string, in any order.
  void find(Index string, std::vector<Connection>& found) const {
    found.clear();
    found.push_back({static_cast<Column>(string), Connection::kSelf, 0});
    one_fewer_.for_each_partner(
        string, [&](Index target, const MovedOrbitals& from, const MovedOrbitals& to) {
          found.push_back(single(string, target, from.first, to.first));
        });
    const auto may_move = [&](const MovedOrbitals& from) { return moving_.may_move(from); };
    two_fewer_.for_each_partner(
        string, may_move, [&](Index target, const MovedOrbitals& from, const MovedOrbitals& to) {
          const double value =
              double_value(integrals_, spin_, from.first, from.second, to.first, to.second);
          if (std::abs(value) > threshold_)
            found.push_back(double_move(string, target, from, to, value));
        });
  }

 private:
  Connection single(Index string, Index target, int from, int to) const {
    const bool odd = is_odd(space_.strings(spin_)[string], from, to);
    return {static_cast<Column>(target), SignedPair::of(variable_.pair(from, to), odd).code,
            single_value(integrals_, spin_, space_.occupied(spin_, string), from, to)};
  }

  Connection double_move(Index string, Index target, const MovedOrbitals& from,
                         const MovedOrbitals& to, double value) const {
    const String& start = space_.strings(spin_)[string];
    const String between = start.without(from.first).with(to.first);
    const bool odd = is_odd(start, from.first, to.first) != is_odd(between, from.second, to.second);
    return {static_cast<Column>(target), Connection::kDouble, odd ? -value : value};
  }

  const Space& space_;
  Spin spin_;
  const Integrals& integrals_;
  const VariableOrbitals& variable_;
  double threshold_;
  MovingPairs moving_;
  StringsWithFewerElectrons one_fewer_;  // strings with one electron removed
  StringsWithFewerElectrons two_fewer_;  // strings with two electrons removed
};

base::Array<Index> running_sum(const std::vector<Index>& sizes, const base::Backend& host) {
  base::Array<Index> offsets(host, std::ssize(sizes) + 1, "the offsets of connections");
  offsets[0] = 0;
  for (Index i = 0; i < std::ssize(sizes); ++i) offsets[i + 1] = offsets[i] + sizes[i];
  return offsets;
}

/// Runs take(string, connections) over all strings, on all threads.
template <class Take>
void for_each_string(const ConnectionFinder& finder, Index strings, const base::Backend& host,
                     Take&& take) {
  base::for_each_chunk(strings, kStringsPerChunk, host, [&](Index first, Index last) {
    std::vector<Connection> found;
    for (Index s = first; s < last; ++s) {
      finder.find(s, found);
      take(s, found);
    }
  });
}

/// Connections found while counting, as many as fit into their memory, so that they are not
/// searched again.
class KeptConnections {
 public:
  KeptConnections(Index strings, const base::Backend& host)
      : left_(std::min(kMost, host.memory().left() / 64)),
        reserved_(host.memory(), left_, "the counted connections of strings"),
        of_(strings) {}

  void put(Index string, const std::vector<Connection>& found) {
    const Index bytes = std::ssize(found) * Index{sizeof(Connection)};
    if (left_.fetch_sub(bytes, std::memory_order_relaxed) >= bytes) of_[string] = found;
  }
  /// Empty if they were not kept; otherwise the string itself is among them.
  std::vector<Connection> take(Index string) { return std::move(of_[string]); }

 private:
  static constexpr Index kMost = Index{256} << 20;
  std::atomic<Index> left_;
  base::Reservation reserved_;
  std::vector<std::vector<Connection>> of_;
};

}  // namespace

VariableOrbitals::VariableOrbitals(std::span<const String> strings)
    : orbitals_((all_of(strings) - common_of(strings)).orbitals()) {
  for (std::size_t i = 0; i < orbitals_.size(); ++i) number_[orbitals_[i]] = static_cast<int>(i);
}

ConnectionTable::ConnectionTable(const Space& space, Spin spin, const Integrals& integrals,
                                 double threshold)
    : variable_(space.strings(spin)),
      offsets_(space.host(), 0, "the offsets of connections"),
      connections_(space.host(), 0, "the connections of strings"),
      single_offsets_(space.host(), 0, "the offsets of singles"),
      singles_(space.host(), 0, "the singles of strings") {
  const base::Backend& host = space.host();
  const Index strings = std::ssize(space.strings(spin));
  const ConnectionFinder finder(space, spin, integrals, variable_, threshold);
  std::vector<Index> sizes(strings);
  std::vector<Index> single_sizes(strings);
  std::optional<KeptConnections> kept(std::in_place, strings, host);
  for_each_string(finder, strings, host, [&](Index s, const std::vector<Connection>& found) {
    sizes[s] = std::ssize(found);
    kept->put(s, found);
    single_sizes[s] = std::ranges::count_if(found, &Connection::is_single);
  });
  offsets_ = running_sum(sizes, host);
  single_offsets_ = running_sum(single_sizes, host);
  most_singles_ = std::ranges::max(single_sizes);
  if (host.memory().left() < offsets_[strings] * Index{sizeof(Connection)} +
                                 single_offsets_[strings] * Index{sizeof(Single)})
    kept.reset();
  connections_ = base::Array<Connection>(host, offsets_[strings], "the connections of strings");
  singles_ = base::Array<Single>(host, single_offsets_[strings], "the singles of strings");
  base::for_each_chunk(strings, kStringsPerChunk, host, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      std::vector<Connection> found;
      if (kept) found = kept->take(s);
      if (found.empty()) finder.find(s, found);
      std::ranges::sort(found, {}, &Connection::target);
      std::ranges::copy(found, connections_.data() + offsets_[s]);
      Single* next = singles_.data() + single_offsets_[s];
      for (const Connection& c : found)
        if (c.is_single()) *next++ = {c.target, c.pair()};
    }
  });
}

}  // namespace cisolve::ci
