#pragma once

#include <span>
#include <tuple>
#include <vector>

#include "ci/oracle/found_excitations.hpp"

namespace cisolve::ci {

/// The integrals (pq|rs) of opposite-spin doubles: for each pair of alpha orbitals a row over the
/// pairs of beta orbitals, 0 if screened out. Stored if they fit into a quarter of the free host
/// budget, else computed on request.
class OppositeSpinIntegralRows {
 public:
  OppositeSpinIntegralRows(const ExcitationScreen& screen, const OracleIntegrals& integrals,
                           const base::Backend& host);

  /// Valid until the next call with the same workspace.
  const double* row(int p, int q, std::vector<double>& workspace) const {
    if (held_.size() > 0) return held_.data() + ExcitationScreen::pair(p, q) * screen_.pairs();
    workspace.resize(screen_.pairs());
    fill(p, q, workspace.data());
    return workspace.data();
  }
  Index bytes() const { return held_.bytes(); }

 private:
  void fill(int p, int q, double* values) const;

  const ExcitationScreen& screen_;
  OracleIntegrals integrals_;
  base::Array<double> held_;
};

/// A single excitation within the beta strings of the space. Its reach measures how many alpha
/// strings pair with the target: a target with less reach than every beta string of a list is not
/// in that list, which excludes nearly all in truncated spaces.
struct BetaSingle {
  StringNumber target;
  std::uint16_t pair;  // orbital pair of the excitation
  std::uint8_t reach;
  bool odd;
};

/// The single excitations of each beta string, by class: orbital pairs connected by integrals,
/// directly or through others, form a class, and an alpha single combines with beta singles of its
/// own class only. Stored if they fit into a quarter of the free host budget, else found on
/// request.
class BetaSingles {
 public:
  BetaSingles(const StringFinder& betas, std::span<const std::uint8_t> reach,
              const ExcitationScreen& screen, int orbitals, const base::Backend& host);

  static constexpr int kKinds = 16;  // most classes; class kKinds has no integral

  /// The class of an alpha pair.
  int kind_of(Index alpha_pair) const { return alpha_kinds_[alpha_pair]; }

  /// The singles of a string in a class, by descending reach. Valid until the next call with the
  /// same workspace.
  std::span<const BetaSingle> of(Index beta, int kind, std::vector<BetaSingle>& workspace) const {
    if (ends_.size() == 0) return found(beta, kind, workspace);
    const std::uint16_t* ends = ends_.data() + beta * (kKinds + 2);
    return held_.span().subspan(first_[beta] + ends[kind], ends[kind + 1] - ends[kind]);
  }
  Index bytes() const { return first_.bytes() + ends_.bytes() + held_.bytes(); }

 private:
  std::span<const BetaSingle> found(Index beta, int kind, std::vector<BetaSingle>& workspace) const;
  void find_kinds();
  void find_all(Index beta, std::vector<BetaSingle>& workspace) const;
  void store_all(const base::Backend& host);
  auto order(const BetaSingle& move) const {
    return std::tuple(beta_kinds_[move.pair], -int{move.reach}, move.target);
  }

  const StringFinder& betas_;
  std::span<const std::uint8_t> reach_;
  const ExcitationScreen& screen_;
  int orbitals_;
  std::vector<std::uint8_t> alpha_kinds_;
  std::vector<std::uint8_t> beta_kinds_;
  base::Array<Index> first_;         // betas + 1
  base::Array<std::uint16_t> ends_;  // class offsets, kKinds + 2 per string
  base::Array<BetaSingle> held_;
};

}  // namespace cisolve::ci
