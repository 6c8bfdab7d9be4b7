#pragma once

#include <span>
#include <tuple>
#include <vector>

#include "ci/direct/direct_moves.hpp"

namespace cisolve::ci {

/// The integrals (pq|rs) of a move p to q of an alpha electron together with one of a beta
/// electron: for each pair of alpha orbitals a row over the pairs of beta ones, 0 where it is not
/// kept. Rows are held where they fit into a quarter of what is left of the host's memory, else
/// made when they are asked for.
class MixedRows {
 public:
  MixedRows(const MoveScreen& screen, const DirectIntegrals& integrals, const base::Backend& host);

  /// Good until the next call with the same room.
  const double* row(int p, int q, std::vector<double>& room) const {
    if (held_.size() > 0) return held_.data() + MoveScreen::pair(p, q) * screen_.pairs();
    room.resize(screen_.pairs());
    fill(p, q, room.data());
    return room.data();
  }
  Index bytes() const { return held_.bytes(); }

 private:
  void fill(int p, int q, double* values) const;

  const MoveScreen& screen_;
  DirectIntegrals integrals_;
  base::Array<double> held_;
};

/// A move of one electron from a beta string to another one of the space. Its reach is a measure of
/// how many alpha strings go with the target: a beta string that reaches less than all those of an
/// alpha string cannot be among them, and where spaces are truncated that tells nearly all.
struct BetaMove {
  StringNumber target;
  std::uint16_t pair;  // of its two orbitals
  std::uint8_t reach;
  bool odd;
};

/// The moves of each beta string, in kinds: pairs of orbitals that integrals join, directly or by
/// way of others, are of one kind, so that an alpha electron moves only together with beta
/// electrons of its own kind. They are held where they fit into a quarter of what is left, else
/// found when they are asked for.
class BetaMoves {
 public:
  BetaMoves(const StringFinder& betas, std::span<const std::uint8_t> reach,
            const MoveScreen& screen, int orbitals, const base::Backend& host);

  static constexpr int kKinds = 16;  // so many at most, and one of those with no integral

  /// Of the alpha electron's pair.
  int kind_of(Index alpha_pair) const { return alpha_kinds_[alpha_pair]; }

  /// Those of a string and a kind, or of the last and of all kinds, the farthest reach first. Good
  /// until the next call with the same room.
  std::span<const BetaMove> of(Index beta, int kind, std::vector<BetaMove>& room) const {
    if (ends_.size() == 0) return found(beta, kind, room);
    const std::uint16_t* ends = ends_.data() + beta * (kKinds + 2);
    return held_.span().subspan(first_[beta] + ends[kind], ends[kind + 1] - ends[kind]);
  }
  Index bytes() const { return first_.bytes() + ends_.bytes() + held_.bytes(); }

 private:
  std::span<const BetaMove> found(Index beta, int kind, std::vector<BetaMove>& room) const;
  void find_kinds();
  void find_all(Index beta, std::vector<BetaMove>& room) const;
  void hold(const base::Backend& host);
  auto order(const BetaMove& move) const {
    return std::tuple(beta_kinds_[move.pair], -int{move.reach}, move.target);
  }

  const StringFinder& betas_;
  std::span<const std::uint8_t> reach_;
  const MoveScreen& screen_;
  int orbitals_;
  std::vector<std::uint8_t> alpha_kinds_;
  std::vector<std::uint8_t> beta_kinds_;
  base::Array<Index> first_;         // betas + 1
  base::Array<std::uint16_t> ends_;  // of the kinds, kKinds + 2 for each string
  base::Array<BetaMove> held_;
};

}  // namespace cisolve::ci
