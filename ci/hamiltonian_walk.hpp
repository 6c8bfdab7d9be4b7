#pragma once

#include <algorithm>
#include <vector>

#include "ci/hamiltonian.hpp"

namespace cisolve::ci {

/// One beta string and its singles as they stand in one list of betas: in the order of the list,
/// the string itself at `own`, or -1, between the first `before` singles and the others.
struct BetaSide {
  Index list = -1;
  Index beta = -1;
  Column own = -1;
  Index before = 0;
  Index size = 0;
  std::vector<Column> position;
  std::vector<Column> pair;
  std::vector<double> sign;
};

/// Walks over rows of the Hamiltonian in canonical order; one for each thread. Many alpha strings
/// share a list, so what a beta string has in a list is kept while the row is walked.
class RowWalk {
 public:
  explicit RowWalk(const HamiltonianRows& h)
      : h_(h), sides_(std::clamp<Index>(h.space_.lists(), 1, kMostSides)) {}

  /// Gives the elements of a row to the sink, columns ascending:
  ///   sink.element(column, value)     an element that is kept
  ///   sink.products(first, position, pair, sign, n, row, factor)
  ///                                   n elements factor * sign[i] * row[pair[i]] at the columns
  ///                                   first + position[i], kept where they are not 0
  template <class Sink>
  void walk(const Space::Place& place, Sink& sink) {
    for (const Connection& to : h_.alpha_->of(place.alpha)) {
      const Index first = h_.space_.first_row(to.target);
      const BetaSide& side = side_in(h_.space_.list_of(to.target), place.beta);
      if (to.is_double()) {
        if (side.own >= 0) sink.element(first + side.own, to.value);
      } else if (to.is_single()) {
        walk_single(place, to, first, side, sink);
      } else {
        walk_betas(place, first, side.list, sink);
      }
    }
  }

 private:
  static constexpr Index kMostSides = 64;

  template <class Sink>
  void walk_single(const Space::Place& place, const Connection& to, Index first,
                   const BetaSide& side, Sink& sink) const {
    const SignedPair move = to.pair();
    const double* row = h_.mixed_.data() + move.pair() * h_.beta_->variable().pairs();
    const auto give = [&](Index begin, Index end) {
      sink.products(first, side.position.data() + begin, side.pair.data() + begin,
                    side.sign.data() + begin, end - begin, row, move.sign());
    };
    give(0, side.before);
    if (side.own >= 0) {
      const double value = with_others(to, h_.on_alpha_, Spin::beta, place.beta);
      if (h_.keeps(value)) sink.element(first + side.own, value);
    }
    give(side.before, side.size);
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
        const double value = with_others(to, h_.on_beta_, Spin::alpha, place.alpha);
        if (h_.keeps(value)) sink.element(column, value);
      }
    }
  }

  /// A single's element: its own part and (pq|kk) over the electrons of the other spin.
  double with_others(const Connection& single, const base::Array<double>& table, Spin other,
                     Index string) const {
    const double* row = table.data() + single.pair().pair() * h_.space_.orbitals();
    double value = single.value;
    for (const std::uint8_t k : h_.space_.occupied(other, string)) value += row[k];
    return single.pair().sign() * value;
  }

  const BetaSide& side_in(Index list, Index beta) {
    BetaSide& side = sides_[list % std::ssize(sides_)];
    if (side.list != list || side.beta != beta) fill_side(side, list, beta);
    return side;
  }

  void fill_side(BetaSide& side, Index list, Index beta) const {
    const auto singles = h_.beta_->singles(beta);
    side.list = list;
    side.beta = beta;
    side.own = h_.space_.position(list, beta);
    side.size = 0;
    side.before = 0;
    side.position.resize(h_.beta_->most_singles());
    side.pair.resize(h_.beta_->most_singles());
    side.sign.resize(h_.beta_->most_singles());
    for (const Single& single : singles) {
      const Column position = h_.space_.position(list, single.target);
      if (position < 0) continue;
      side.position[side.size] = position;
      side.pair[side.size] = static_cast<Column>(single.pair.pair());
      side.sign[side.size] = single.pair.sign();
      ++side.size;
      if (single.target < beta) side.before = side.size;
    }
  }

  const HamiltonianRows& h_;
  std::vector<BetaSide> sides_;
};

/// How many elements a row has.
class CountingSink {
 public:
  void element(Index, double) { ++count_; }
  void products(Index, const Column*, const Column* pair, const double*, Index n, const double* row,
                double) {
    Index found = 0;
    for (Index i = 0; i < n; ++i) found += row[pair[i]] != 0 ? 1 : 0;
    count_ += found;
  }
  Index count() const { return count_; }

 private:
  Index count_ = 0;
};

/// Keeps the elements of a row. It writes before it knows whether the element is kept, so it needs
/// room for one more; a row never overruns it, as the room is known from a row's connections.
class WritingSink {
 public:
  void begin(Index most_elements) {
    count_ = 0;
    if (std::ssize(columns_) > most_elements) return;
    columns_.resize(most_elements + 1);
    values_.resize(most_elements + 1);
  }

  void element(Index column, double value) {
    columns_[count_] = static_cast<Column>(column);
    values_[count_] = value;
    ++count_;
  }

  void products(Index first, const Column* position, const Column* pair, const double* sign,
                Index n, const double* row, double factor) {
    Column* columns = columns_.data() + count_;
    double* values = values_.data() + count_;
    Index found = 0;
    for (Index i = 0; i < n; ++i) {
      const double value = row[pair[i]];
      columns[found] = static_cast<Column>(first + position[i]);
      values[found] = factor * sign[i] * value;
      found += value != 0 ? 1 : 0;
    }
    count_ += found;
  }

  std::span<const Column> columns() const { return std::span(columns_).first(count_); }
  std::span<const double> values() const { return std::span(values_).first(count_); }

 private:
  Index count_ = 0;
  std::vector<Column> columns_;
  std::vector<double> values_;
};

}  // namespace cisolve::ci
