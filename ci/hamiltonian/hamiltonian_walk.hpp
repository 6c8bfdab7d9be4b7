#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "ci/hamiltonian/hamiltonian.hpp"

namespace cisolve::ci {

/// A beta string and its singles as they stand in one list of betas: in the order of the list, the
/// string itself at `own`, or -1, between the first `before` singles and the others. No two singles
/// of a string move an electron between the same pair of orbitals.
struct BetaSide {
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

/// The elements of a row with one alpha single: factor * sign[i] * row[pair[i]] at the columns
/// first + position[i] of the side, where they are not 0, and own_value with the same beta string.
struct SingleElements {
  const BetaSide& side;
  Index first;
  const double* row;
  const std::uint64_t* nonzeros;  // of the row, as a set of bits
  double factor;
  bool has_own;
  double own_value;
};

/// Walks over rows of the Hamiltonian in canonical order; one for each thread. Many alpha strings
/// share a list, so what a beta string has in a list is kept while the row is walked.
class RowWalk {
 public:
  static constexpr Index kMostSides = 64;  // of lists that a row leads to

  explicit RowWalk(const HamiltonianRows& h)
      : h_(h),
        sides_(std::bit_ceil(static_cast<std::size_t>(std::min(h.space_.lists(), kMostSides)))),
        side_mask_(std::ssize(sides_) - 1) {}

  /// Gives the elements of a row to the sink, columns ascending, as sink.element(column, value) and
  /// sink.single(elements).
  template <class Sink>
  void walk(const Space::Place& place, Sink& sink) {
    for (const Connection& to : h_.alpha_->of(place.alpha)) {
      const Index first = h_.space_.first_row(to.target);
      const BetaSide& side = side_in(h_.space_.list_of(to.target), place.beta);
      if (to.is_single())
        walk_single(place, to, first, side, sink);
      else if (!to.is_double())
        walk_betas(place, first, side.list, sink);
      else if (side.own >= 0)
        sink.element(first + side.own, to.value);
    }
  }

 private:
  template <class Sink>
  void walk_single(const Space::Place& place, const Connection& to, Index first,
                   const BetaSide& side, Sink& sink) const {
    const Index pair = to.pair().pair();
    const double own = side.own >= 0 ? h_.alpha_single(to, place.beta) : 0.0;
    sink.single({side, first, h_.mixed_.row(pair), h_.mixed_.nonzeros(pair), to.pair().sign(),
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

  const BetaSide& side_in(Index list, Index beta) {
    BetaSide& side = sides_[list & side_mask_];
    if (side.list != list || side.beta != beta) fill_side(side, list, beta);
    return side;
  }

  /// Looks the shorter of the two up in the longer: the string's singles, or the list.
  void fill_side(BetaSide& side, Index list, Index beta) const {
    side.list = list;
    side.beta = beta;
    side.own = h_.space_.position(list, beta);
    side.size = 0;
    side.before = 0;
    side.position.resize(h_.beta_->most_singles());
    side.pair.resize(h_.beta_->most_singles());
    side.sign.resize(h_.beta_->most_singles());
    side.pairs.assign(h_.mixed_.words(), 0);
    const auto singles = h_.beta_->singles(beta);
    const auto members = h_.space_.list(list);
    if (members.size() >= singles.size()) {
      for (const Single& single : singles)
        if (const Column position = h_.space_.position(list, single.target); position >= 0)
          add(side, single, position);
      return;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto single = std::ranges::lower_bound(singles, members[i], {}, &Single::target);
      if (single != singles.end() && single->target == members[i])
        add(side, *single, static_cast<Column>(i));
    }
  }

  static void add(BetaSide& side, const Single& single, Column position) {
    const Index pair = single.pair.pair();
    side.position[side.size] = position;
    side.pair[side.size] = static_cast<Column>(pair);
    side.sign[side.size] = single.pair.sign();
    side.pairs[pair / 64] |= std::uint64_t{1} << (pair % 64);
    ++side.size;
    if (single.target < side.beta) side.before = side.size;
  }

  const HamiltonianRows& h_;
  std::vector<BetaSide> sides_;  // a power of two of them
  Index side_mask_;
};

/// How many elements a row has.
class CountingSink {
 public:
  void element(Index, double) { ++count_; }
  void single(const SingleElements& elements) {
    const auto& pairs = elements.side.pairs;
    for (std::size_t w = 0; w < pairs.size(); ++w)
      count_ += std::popcount(pairs[w] & elements.nonzeros[w]);
    count_ += elements.has_own ? 1 : 0;
  }
  Index count() const { return count_; }

 private:
  Index count_ = 0;
};

/// Keeps the elements of a row. An element is written before it is known to be kept, so there must
/// be room for all that the connections allow.
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
    products(elements, 0, elements.side.before);
    if (elements.has_own) element(elements.first + elements.side.own, elements.own_value);
    products(elements, elements.side.before, elements.side.size);
  }

  std::span<const Column> columns() const { return std::span(columns_).first(count_); }
  std::span<const double> values() const { return std::span(values_).first(count_); }

 private:
  void products(const SingleElements& elements, Index begin, Index end) {
    const auto first = static_cast<Column>(elements.first);
    const Column* position = elements.side.position.data();
    const Column* pair = elements.side.pair.data();
    const double* sign = elements.side.sign.data();
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
