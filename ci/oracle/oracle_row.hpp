#pragma once

#include <algorithm>
#include <cmath>

#include "ci/oracle/oracle_operator.hpp"

namespace cisolve::ci {

/// Evaluates single rows of the oracle's product with a vector; one object per thread. Excitations
/// of the alpha string are reused while consecutive rows share it. `Vector` returns an element by
/// row.
template <class Vector>
class OracleRow {
 public:
  OracleRow(const OracleOperator& h, const Vector& x)
      : h_(h), x_(x), doubles_(h.screen_, h.integrals_) {}

  double times_vector(Index row) {
    const auto first_rows = h_.first_row_.span();
    const Index alpha = std::ranges::upper_bound(first_rows, row) - first_rows.begin() - Index{1};
    if (alpha != alpha_) move_alpha(alpha);
    beta_ = h_.betas_of(alpha)[row - h_.first_row_[alpha]];
    sum_ = 0;
    add_diagonal(row);
    add_one_alpha();
    add_two_of_a_spin();
    add_beta_moves();
    return sum_;
  }

 private:
  /// A single excitation of the alpha string.
  struct AlphaExcitation {
    int p;
    int q;
    int kind;  // class of beta excitations that combine with it
    Index pair;
    StringNumber target;
    bool odd;
    double own;  // alpha electrons' part of its element
  };
  /// A double excitation of the alpha string.
  struct AlphaDouble {
    StringNumber target;
    double value;
  };

  bool keeps(double value) const { return std::abs(value) > h_.threshold_; }

  void move_alpha(Index alpha) {
    alpha_ = alpha;
    const OracleIntegrals& integrals = h_.integrals_;
    const StringOccupation a(Spin::alpha, h_.alphas_[alpha], integrals.orbitals());
    energy_ = integrals.core_energy() + energy_of(integrals, Spin::alpha, a.string);
    const auto asks = [&](int p, int q) {
      const Index pair = ExcitationScreen::pair(p, q);
      return h_.screen_.has_mixed(pair) || h_.screen_.has_single(Spin::alpha, pair);
    };
    singles_.clear();
    for_each_found_single(h_.alphas_, a, asks, [&](int p, int q, StringNumber target, bool odd) {
      const Index pair = ExcitationScreen::pair(p, q);
      const int kind = h_.screen_.has_mixed(pair) ? h_.moves_.kind_of(pair) : -1;
      const double own = own_part(integrals, Spin::alpha, a.string, p, q);
      singles_.push_back({p, q, kind, pair, target, odd, own});
    });
    alpha_doubles_.clear();
    doubles_.for_each(h_.alphas_, a, [&](StringNumber target, double value) {
      alpha_doubles_.push_back({target, value});
    });
  }

  /// The position of a beta string in a list, or -1.
  Index place(StringNumber list, StringNumber beta) const {
    const auto members = h_.members(list);
    if (std::ssize(members) == h_.betas_.size()) return beta;
    const auto found = std::ranges::lower_bound(members, beta);
    return found != members.end() && *found == beta ? found - members.begin() : -1;
  }

  void add(StringNumber alpha, StringNumber beta, double value) {
    const Index at = place(h_.list_of_[alpha], beta);
    if (at >= 0) sum_ += value * x_[h_.first_row_[alpha] + at];
  }

  void add_diagonal(Index row) {
    const double value = energy_ + h_.beta_energies_[beta_] + alpha_beta_repulsion();
    sum_ += value * x_[row];
  }

  /// Coulomb interaction of the alpha with the beta string.
  double alpha_beta_repulsion() const {
    const String& a = h_.alphas_[alpha_];
    double value = 0;
    h_.betas_[beta_].for_each(
        [&](int q) { value += other_part(h_.integrals_, Spin::beta, q, q, a); });
    return value;
  }

  void add_one_alpha() {
    const String& b = h_.betas_[beta_];
    for (const AlphaExcitation& move : singles_) {
      if (!h_.screen_.has_single(Spin::alpha, move.pair)) continue;
      const double value = move.own + other_part(h_.integrals_, Spin::alpha, move.p, move.q, b);
      if (keeps(value)) add(move.target, beta_, signed_value(move.odd, value));
    }
  }

  /// Screened already: the threshold needs no check.
  void add_two_of_a_spin() {
    for (const AlphaDouble& move : alpha_doubles_) add(move.target, beta_, move.value);
    const StringOccupation b(Spin::beta, h_.betas_[beta_], h_.integrals_.orbitals());
    doubles_.for_each(h_.betas_, b, [&](StringNumber target, double value) {
      add(static_cast<StringNumber>(alpha_), target, value);
    });
  }

  /// Beta singles, alone and combined with alpha singles, class by class, since without stored
  /// BetaSingles each class is searched anew.
  void add_beta_moves() {
    for (int kind = 0; kind <= BetaSingles::kKinds; ++kind) {
      const std::span<const BetaSingle> moves = h_.moves_.of(beta_, kind, workspace_);
      for (const BetaSingle& move : moves)
        if (h_.screen_.has_single(Spin::beta, move.pair)) add_one_beta(move);
      for (const AlphaExcitation& alpha : singles_)
        if (alpha.kind == kind) add_both(alpha, moves);
    }
  }

  void add_one_beta(const BetaSingle& move) {
    const String& from = h_.betas_[beta_];
    const String& to = h_.betas_[move.target];
    const int p = first_two(from - to)[0];
    const int q = first_two(to - from)[0];
    const double value = own_part(h_.integrals_, Spin::beta, from, p, q) +
                         other_part(h_.integrals_, Spin::beta, p, q, h_.alphas_[alpha_]);
    if (keeps(value))
      add(static_cast<StringNumber>(alpha_), move.target, signed_value(move.odd, value));
  }

  void add_both(const AlphaExcitation& alpha, std::span<const BetaSingle> moves) {
    const double* integrals = h_.mixed_.row(alpha.p, alpha.q, row_);
    const StringNumber list = h_.list_of_[alpha.target];
    const Index first = h_.first_row_[alpha.target];
    double sum = 0;
    if (std::ssize(h_.members(list)) == h_.betas_.size()) {
      for (const BetaSingle& move : moves)
        sum += signed_value(move.odd, integrals[move.pair]) * x_[first + move.target];
    } else {
      for (const BetaSingle& move : moves) {
        if (move.reach < h_.least_reach_[list]) break;
        if (const Index at = place(list, move.target); at >= 0)
          sum += signed_value(move.odd, integrals[move.pair]) * x_[first + at];
      }
    }
    sum_ += signed_value(alpha.odd, sum);
  }

  const OracleOperator& h_;
  Vector x_;
  Index alpha_ = -1;
  double energy_ = 0;  // energy of core and alpha electrons
  std::vector<AlphaExcitation> singles_;
  std::vector<AlphaDouble> alpha_doubles_;
  StringNumber beta_ = -1;
  double sum_ = 0;
  SameSpinDoubles doubles_;
  std::vector<double> row_;
  std::vector<BetaSingle> workspace_;
};

}  // namespace cisolve::ci
