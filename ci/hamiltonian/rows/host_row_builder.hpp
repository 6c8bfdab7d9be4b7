#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ci/hamiltonian/rows/hamiltonian.hpp"

namespace cisolve::ci {

/// The singles of a beta string that are in one list of beta strings, in the order of the list. The
/// string itself is at position `own` (-1: not in the list), after the first `before` singles. No
/// two singles of a string have the same pair of orbitals.
struct SinglesInList {
  Index list = -1;
  Index beta = -1;
  Column own = -1;
  Index before = 0;
  Index size = 0;
  std::vector<Column> position;
  std::vector<Column> pair;
  std::vector<double> sign;
  std::vector<std::uint64_t> pairs;  // the same pairs as a set of bits
};

/// The elements of a row with one alpha single: factor * sign[i] * row[pair[i]] at column
/// first + position[i] of the cached list, if not 0, and own_value for the same beta string.
struct SingleElements {
  const SinglesInList& cached;  // the singles of the beta string in the list
  Index first;                  // row of the first determinant of the list
  const double* row;
  const std::uint64_t* nonzeros;  // bit set of the row
  double factor;
  bool has_own;
  double own_value;
};

/// Finds the elements of rows one by one, in canonical order; one object per thread. Many alpha
/// strings share a list, so the singles of the beta string in each list are cached.
class HostRowBuilder {
 public:
  static constexpr Index kMostCachedLists = 64;

  explicit HostRowBuilder(const HamiltonianRows& h)
      : h_(h),
        cached_lists_(
            std::bit_ceil(static_cast<std::size_t>(std::min(h.space_.lists(), kMostCachedLists)))),
        cache_mask_(std::ssize(cached_lists_) - 1) {}

  /// Passes the elements of a row to sink.element(column, value) and sink.single(elements), columns
  /// ascending.
  template <class Sink>
  void walk(const Space::Place& place, Sink& sink) {
    for (const Connection& to : connections_of(place)) {
      const Index first = h_.space_.first_row(to.target);
      const SinglesInList& cached = singles_in(h_.space_.list_of(to.target), place.beta);
      if (to.is_single())
        walk_single(place, to, first, cached, sink);
      else if (!to.is_double())
        walk_betas(place, first, cached.list, sink);
      else if (cached.own >= 0)
        sink.element(first + cached.own, to.value);
    }
  }

 private:
  static constexpr Index kMostFiltered = 32;          // lists: two bits of a mask for each
  static constexpr std::size_t kMostSelections = 16;  // cached for an alpha string

  /// Connections of an alpha string that can give elements, for all beta strings that are in the
  /// same lists, themselves or by their singles.
  struct Selection {
    std::uint64_t mask;
    std::vector<Connection> connections;
  };

  /// The connections that can give elements of the row, ascending. If few alpha strings go with all
  /// beta strings, as in CISD, most connections of such an alpha string lead to lists without the
  /// row's beta string: rows after the first of an alpha string skip them.
  std::span<const Connection> connections_of(const Space::Place& place) {
    const auto all = h_.alpha_->of(place.alpha);
    if (h_.space_.lists() == 1 || h_.space_.lists() > kMostFiltered) return all;
    if (std::exchange(alpha_, place.alpha) != place.alpha) {
      lists_.clear();
      selections_.clear();
      return all;
    }
    if (lists_.empty()) note_lists(all);
    std::uint64_t mask = 0;
    for (const Index list : lists_) mask |= bits_of(list, place.beta);
    if (mask == all_bits_) return all;
    const auto known = std::ranges::find(selections_, mask, &Selection::mask);
    if (known != selections_.end()) return known->connections;
    if (selections_.size() == kMostSelections) return all;
    return selections_.emplace_back(mask, selected(all, mask)).connections;
  }

  /// The lists that connections lead to, and their bits.
  void note_lists(std::span<const Connection> connections) {
    std::uint64_t reached = 0;
    all_bits_ = 0;
    for (const Connection& to : connections) {
      reached |= std::uint64_t{1} << h_.space_.list_of(to.target);
      all_bits_ |= needed_bit(to);
    }
    for (Index list = 0; list < h_.space_.lists(); ++list)
      if ((reached >> list & 1) != 0) lists_.push_back(list);
  }

  /// A double needs the beta string itself in its list; a single needs it or, if the alpha pair has
  /// any integral, one of its singles.
  std::uint64_t needed_bit(const Connection& to) const {
    const bool needs_own = to.is_double() || (to.is_single() && !has_products(to.pair().pair()));
    return std::uint64_t{1} << (2 * h_.space_.list_of(to.target) + (needs_own ? 0 : 1));
  }

  bool has_products(Index pair) const {
    const std::span words(h_.mixed_.nonzeros(pair), h_.mixed_.words());
    return std::ranges::any_of(words, [](std::uint64_t word) { return word != 0; });
  }

  std::uint64_t bits_of(Index list, Index beta) {
    const SinglesInList& cached = singles_in(list, beta);
    const bool has_own = cached.own >= 0;
    const bool has_any = has_own || cached.size > 0;
    return (std::uint64_t{has_own} | std::uint64_t{has_any} << 1) << (2 * list) & all_bits_;
  }

  std::vector<Connection> selected(std::span<const Connection> connections,
                                   std::uint64_t mask) const {
    std::vector<Connection> kept;
    for (const Connection& to : connections)
      if ((needed_bit(to) & mask) != 0) kept.push_back(to);
    return kept;
  }

  template <class Sink>
  void walk_single(const Space::Place& place, const Connection& to, Index first,
                   const SinglesInList& cached, Sink& sink) const {
    const Index pair = to.pair().pair();
    const double own = cached.own >= 0 ? h_.alpha_single(to, place.beta) : 0.0;
    sink.single({cached, first, h_.mixed_.row(pair), h_.mixed_.nonzeros(pair), to.pair().sign(),
                 h_.keeps(own), own});
  }

  template <class Sink>
  void walk_betas(const Space::Place& place, Index first, Index list, Sink& sink) const {
    for (const Connection& to : h_.beta_->of(place.beta)) {
      const Column position = h_.space_.position(list, to.target);
      if (position < 0) continue;
      const Index column = first + position;
      if (to.is_double()) {
        sink.element(column, to.value);
      } else if (!to.is_single()) {
        sink.element(column, h_.diagonal_(place.alpha, place.beta));
      } else {
        const double value = h_.beta_single(to, place.alpha);
        if (h_.keeps(value)) sink.element(column, value);
      }
    }
  }

  const SinglesInList& singles_in(Index list, Index beta) {
    SinglesInList& cached = cached_lists_[list & cache_mask_];
    if (cached.list != list || cached.beta != beta) fill_cached(cached, list, beta);
    return cached;
  }

  /// Looks up the shorter in the longer: the string's singles, or the list.
  void fill_cached(SinglesInList& cached, Index list, Index beta) const {
    cached.list = list;
    cached.beta = beta;
    cached.own = h_.space_.position(list, beta);
    cached.size = 0;
    cached.before = 0;
    cached.position.resize(h_.beta_->most_singles());
    cached.pair.resize(h_.beta_->most_singles());
    cached.sign.resize(h_.beta_->most_singles());
    cached.pairs.assign(h_.mixed_.words(), 0);
    const auto singles = h_.beta_->singles(beta);
    const auto members = h_.space_.list(list);
    if (members.size() >= singles.size()) {
      for (const Single& single : singles)
        if (const Column position = h_.space_.position(list, single.target); position >= 0)
          add(cached, single, position);
      return;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto single = std::ranges::lower_bound(singles, members[i], {}, &Single::target);
      if (single != singles.end() && single->target == members[i])
        add(cached, *single, static_cast<Column>(i));
    }
  }

  static void add(SinglesInList& cached, const Single& single, Column position) {
    const Index pair = single.pair.pair();
    cached.position[cached.size] = position;
    cached.pair[cached.size] = static_cast<Column>(pair);
    cached.sign[cached.size] = single.pair.sign();
    cached.pairs[pair / 64] |= std::uint64_t{1} << (pair % 64);
    ++cached.size;
    if (single.target < cached.beta) cached.before = cached.size;
  }

  const HamiltonianRows& h_;
  std::vector<SinglesInList> cached_lists_;  // direct-mapped cache; its size is a power of two
  Index cache_mask_;
  Index alpha_ = -1;          // alpha string of the previous row
  std::vector<Index> lists_;  // reached by its connections; empty until its second row
  std::uint64_t all_bits_ = 0;
  std::vector<Selection> selections_;
};

/// Counts the elements of a row.
class CountingSink {
 public:
  void element(Index, double) { ++count_; }
  void single(const SingleElements& elements) {
    count_ += elements.has_own ? 1 : 0;
    const SinglesInList& cached = elements.cached;
    if (cached.size < std::ssize(cached.pairs)) {
      for (Index i = 0; i < cached.size; ++i)
        count_ += elements.nonzeros[cached.pair[i] / 64] >> (cached.pair[i] % 64) & 1;
      return;
    }
    for (std::size_t w = 0; w < cached.pairs.size(); ++w)
      count_ += std::popcount(cached.pairs[w] & elements.nonzeros[w]);
  }
  Index count() const { return count_; }

 private:
  Index count_ = 0;
};

/// Stores the elements of a row. Elements are written before they are known to be kept, so the
/// buffer must hold all that the connections allow.
class WritingSink {
 public:
  void begin(Index most_elements) {
    count_ = 0;
    if (std::ssize(columns_) >= most_elements) return;
    columns_.resize(most_elements);
    values_.resize(most_elements);
  }

  void element(Index column, double value) {
    columns_[count_] = static_cast<Column>(column);
    values_[count_] = value;
    ++count_;
  }

  void single(const SingleElements& elements) {
    products(elements, 0, elements.cached.before);
    if (elements.has_own) element(elements.first + elements.cached.own, elements.own_value);
    products(elements, elements.cached.before, elements.cached.size);
  }

  std::span<const Column> columns() const { return std::span(columns_).first(count_); }
  std::span<const double> values() const { return std::span(values_).first(count_); }

 private:
  void products(const SingleElements& elements, Index begin, Index end) {
    const auto first = static_cast<Column>(elements.first);
    const Column* position = elements.cached.position.data();
    const Column* pair = elements.cached.pair.data();
    const double* sign = elements.cached.sign.data();
    Column* columns = columns_.data() + count_;
    double* values = values_.data() + count_;
    Index found = 0;
    for (Index i = begin; i < end; ++i) {
      const double value = elements.row[pair[i]];
      columns[found] = first + position[i];
      values[found] = elements.factor * sign[i] * value;
      found += value != 0 ? 1 : 0;
    }
    count_ += found;
  }

  Index count_ = 0;
  std::vector<Column> columns_;
  std::vector<double> values_;
};

}  // namespace cisolve::ci
