#pragma once

#include <algorithm>
#include <cmath>

#include "ci/oracle/oracle_operator.hpp"

namespace cisolve::ci {

/// Evaluates the rows of a batch of alpha strings with one beta list, for kColumns vectors; one
/// object per thread.
template <int kColumns>
class OracleWalk {
 public:
  OracleWalk(const OracleOperator& h, base::ConstBlock x, base::Block y)
      : h_(h),
        x_(x),
        y_(y),
        own_(h.betas_.size(), -1),
        other_(h.betas_.size(), -1),
        doubles_(h.screen_, h.integrals_) {}

  void walk(std::span<const StringNumber> alphas) {
    alphas_ = alphas;
    list_ = h_.list_of_[alphas.front()];
    betas_ = h_.betas_of(alphas.front());
    least_ = h_.least_reach_[list_];
    mark(betas_, own_);
    for (const StringNumber alpha : alphas) initialise_rows(alpha);
    for (Index i = 0; i < std::ssize(betas_); ++i) move_beta(i);
    for (const StringNumber alpha : alphas) move_alpha(alpha);
    unmark(betas_, own_);
    forget_other();
  }

 private:
  // Cost of one look-up of an excited string in string comparisons.
  static constexpr Index kLookUp = 4;
  /// List entries scanned in the time of one binary search.
  static constexpr Index kSearch = 16;

  bool keeps(double value) const { return std::abs(value) > h_.threshold_; }

  static void mark(std::span<const StringNumber> betas, std::vector<StringNumber>& places) {
    for (std::size_t i = 0; i < betas.size(); ++i) places[betas[i]] = static_cast<StringNumber>(i);
  }
  static void unmark(std::span<const StringNumber> betas, std::vector<StringNumber>& places) {
    for (const StringNumber beta : betas) places[beta] = -1;
  }

  double& y(Index row, int j) const { return y_(row - h_.first_kept_, j); }

  void add(Index row, Index column, double value) {
    for (int j = 0; j < kColumns; ++j) y(row, j) += value * x_(column, j);
  }

  /// Initialises each row with the diagonal part.
  void initialise_rows(Index alpha) {
    const String& a = h_.alphas_[alpha];
    const OracleIntegrals& integrals = h_.integrals_;
    const double own = integrals.core_energy() + energy_of(integrals, Spin::alpha, a);
    across_.resize(integrals.orbitals());
    for (int q = 0; q < integrals.orbitals(); ++q)
      across_[q] = other_part(integrals, Spin::beta, q, q, a);
    Index row = h_.first_row_[alpha];
    for (const StringNumber beta : betas_) {
      double value = own + h_.beta_energies_[beta];
      h_.betas_[beta].for_each([&](int q) { value += across_[q]; });
      for (int j = 0; j < kColumns; ++j) y(row, j) = value * x_(row, j);
      ++row;
    }
  }

  /// Beta excitations alone, for all alpha strings of the batch, which share the targets.
  void move_beta(Index i) {
    const String& b = h_.betas_[betas_[i]];
    for (int kind = 0; kind <= BetaSingles::kKinds; ++kind)
      for (const BetaSingle& move : h_.moves_.of(betas_[i], kind, own_moves_)) {
        if (move.reach < least_) break;
        const StringNumber target = own_[move.target];
        if (target >= 0 && h_.screen_.has_single(Spin::beta, move.pair))
          move_one_beta(i, target, b, move.odd);
      }
    const auto add_all = [&](Index target, double value) {
      for (const StringNumber alpha : alphas_)
        add(h_.first_row_[alpha] + i, h_.first_row_[alpha] + target, value);
    };
    const StringOccupation side(Spin::beta, b, h_.integrals_.orbitals());
    if (doubles_.count(side) * kLookUp < std::ssize(betas_)) {
      doubles_.for_each(h_.betas_, side, [&](StringNumber to, double value) {
        if (own_[to] >= 0 && keeps(value)) add_all(own_[to], value);
      });
      return;
    }
    for (Index target = 0; target < std::ssize(betas_); ++target) {
      const String& to = h_.betas_[betas_[target]];
      if (distance(b, to) != 2) continue;
      const double value = double_between(h_.integrals_, Spin::beta, b, to);
      if (keeps(value)) add_all(target, value);
    }
  }

  void move_one_beta(Index i, Index target, const String& b, bool odd) {
    const String& to = h_.betas_[betas_[target]];
    const int p = first_two(b - to)[0];
    const int q = first_two(to - b)[0];
    const double own = own_part(h_.integrals_, Spin::beta, b, p, q);
    for (const StringNumber alpha : alphas_) {
      const double value = own + other_part(h_.integrals_, Spin::beta, p, q, h_.alphas_[alpha]);
      const Index first = h_.first_row_[alpha];
      if (keeps(value)) add(first + i, first + target, signed_value(odd, value));
    }
  }

  void move_alpha(Index alpha) {
    begin_ = h_.first_row_[alpha];
    const StringOccupation a(Spin::alpha, h_.alphas_[alpha], h_.integrals_.orbitals());
    const auto asks = [&](int p, int q) {
      const Index pair = ExcitationScreen::pair(p, q);
      return h_.screen_.has_mixed(pair) || h_.screen_.has_single(Spin::alpha, pair);
    };
    for_each_found_single(h_.alphas_, a, asks, [&](int p, int q, StringNumber target, bool odd) {
      const Index pair = ExcitationScreen::pair(p, q);
      if (h_.screen_.has_single(Spin::alpha, pair)) move_one_alpha(a, p, q, target, odd);
      if (h_.screen_.has_mixed(pair)) move_both(p, q, target, odd);
    });
    doubles_.for_each(h_.alphas_, a, [&](StringNumber target, double value) {
      if (keeps(value))
        for_each_common(target, [&](Index i, Index column) { add(begin_ + i, column, value); });
    });
  }

  void move_one_alpha(const StringOccupation& a, int p, int q, StringNumber target, bool odd) {
    const double own = own_part(h_.integrals_, Spin::alpha, a.string, p, q);
    across_.resize(h_.integrals_.orbitals());
    for (int k = 0; k < h_.integrals_.orbitals(); ++k)
      across_[k] = h_.integrals_.two(Spin::alpha, p, q, Spin::beta, k, k);
    for_each_common(target, [&](Index i, Index column) {
      double value = own;
      h_.betas_[betas_[i]].for_each([&](int k) { value += across_[k]; });
      if (keeps(value)) add(begin_ + i, column, signed_value(odd, value));
    });
  }

  /// Calls visit(place, column) for the beta strings common to this alpha string and `target`.
  template <class Visit>
  void for_each_common(StringNumber target, Visit&& visit) {
    const Index first = h_.first_row_[target];
    const std::span<const StringNumber> there = h_.betas_of(target);
    if (h_.list_of_[target] == list_) {
      for (Index i = 0; i < std::ssize(there); ++i) visit(i, first + i);
      return;
    }
    if (std::ssize(betas_) * kSearch < std::ssize(there)) {
      for (Index i = 0; i < std::ssize(betas_); ++i) {
        const auto place = std::ranges::lower_bound(there, betas_[i]);
        if (place != there.end() && *place == betas_[i]) visit(i, first + (place - there.begin()));
      }
      return;
    }
    for (Index i = 0; i < std::ssize(there); ++i)
      if (const StringNumber place = own_[there[i]]; place >= 0) visit(place, first + i);
  }

  /// Opposite-spin doubles: the alpha single p -> q with each beta single.
  void move_both(int p, int q, StringNumber target, bool odd) {
    const int kind = h_.moves_.kind_of(ExcitationScreen::pair(p, q));
    const double* integrals = h_.mixed_.row(p, q, row_);
    const std::span<const StringNumber> there = h_.betas_of(target);
    const Index first = h_.first_row_[target];
    if (there.size() < betas_.size()) {  // start from the shorter list: beta singles are symmetric
      for (Index i = 0; i < std::ssize(there); ++i)
        for (const BetaSingle& move : h_.moves_.of(there[i], kind, own_moves_)) {
          if (move.reach < least_) break;
          if (const StringNumber place = own_[move.target]; place >= 0)
            add(begin_ + place, first + i, signed_value(odd != move.odd, integrals[move.pair]));
        }
      return;
    }
    const StringNumber list = h_.list_of_[target];
    const std::uint8_t least = h_.least_reach_[list];
    const StringNumber* places = places_in(list, there);
    for (Index i = 0; i < std::ssize(betas_); ++i) {
      std::array<double, kColumns> sums{};
      for (const BetaSingle& move : h_.moves_.of(betas_[i], kind, own_moves_)) {
        if (move.reach < least) break;
        const StringNumber place = places[move.target];
        if (place < 0) continue;
        const double value = signed_value(odd != move.odd, integrals[move.pair]);
        for (int j = 0; j < kColumns; ++j) sums[j] += value * x_(first + place, j);
      }
      for (int j = 0; j < kColumns; ++j) y(begin_ + i, j) += sums[j];
    }
  }

  /// Positions of beta strings in a list; cached until another list is requested.
  const StringNumber* places_in(StringNumber list, std::span<const StringNumber> betas) {
    if (list == list_) return own_.data();
    if (list != other_list_) {
      forget_other();
      mark(betas, other_);
      other_list_ = list;
      other_betas_ = betas;
    }
    return other_.data();
  }
  void forget_other() {
    unmark(other_betas_, other_);
    other_betas_ = {};
    other_list_ = -1;
  }

  const OracleOperator& h_;
  base::ConstBlock x_;
  base::Block y_;
  std::span<const StringNumber> alphas_;
  std::span<const StringNumber> betas_;
  StringNumber list_ = -1;
  Index begin_ = 0;                  // first row of the alpha string
  std::uint8_t least_ = 0;           // minimum reach in the list
  std::vector<StringNumber> own_;    // positions in the list by beta string, or -1
  std::vector<StringNumber> other_;  // the same for another list
  StringNumber other_list_ = -1;
  std::span<const StringNumber> other_betas_;
  SameSpinDoubles doubles_;
  std::vector<double> across_;  // contribution of each orbital of the other spin
  std::vector<double> row_;
  std::vector<BetaSingle> own_moves_;
};

}  // namespace cisolve::ci
