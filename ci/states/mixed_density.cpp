#include "ci/states/mixed_density.hpp"

#include <algorithm>

#include "base/loops.hpp"

namespace cisolve::ci {

AlphaMoves::AlphaMoves(const Space& space)
    : orbitals_(space.orbitals()),
      offsets_(space.host(), Index{orbitals_} * orbitals_ + 1, "the moves by orbitals"),
      moves_(space.host(), 0, "the moves by orbitals") {
  const MoveTable table(space, Spin::alpha);
  std::ranges::fill(offsets_.span(), Index{0});
  for_each(space, table, [&](Index row, const AlphaMove&) { ++offsets_[row + 1]; });
  for (Index row = 1; row < offsets_.size(); ++row) offsets_[row] += offsets_[row - 1];
  moves_ =
      base::Array<AlphaMove>(space.host(), offsets_[offsets_.size() - 1], "the moves by orbitals");
  std::vector<Index> next(offsets_.span().begin(), offsets_.span().end());
  for_each(space, table, [&](Index row, const AlphaMove& move) { moves_[next[row]++] = move; });
}

template <class Take>
void AlphaMoves::for_each(const Space& space, const MoveTable& table, Take&& take) const {
  for (Index s = 0; s < std::ssize(space.strings(Spin::alpha)); ++s) {
    const auto string = static_cast<StringNumber>(s);
    for (const int p : space.occupied(Spin::alpha, s))
      take(Index{p} * orbitals_ + p, AlphaMove{string, string, 1});
    for (const Move& move : table.of(s))
      if (move.to > move.from)
        take(Index{move.to} * orbitals_ + move.from, AlphaMove{string, move.target, move.sign()});
  }
}

namespace {

/// Adds to a matrix over orbitals r, s of beta what goes with moves of an alpha electron.
class BetaMoves {
 public:
  BetaMoves(const Space& space, const MoveTable& table, const double* bra, const double* ket)
      : space_(space), bra_(bra), ket_(ket), table_(table), orbitals_(space.orbitals()) {}

  void add(std::span<const AlphaMove> moves, double* to) const {
    base::Array<double> line(space_.host(), std::ssize(space_.strings(Spin::beta)),
                             "the line of a string");
    std::ranges::fill(line.span(), 0.0);
    for (const AlphaMove& move : moves) {
      const auto beside = space_.betas_of(move.bra);
      const double* bra = bra_ + space_.first_row(move.bra);
      for (std::size_t i = 0; i < beside.size(); ++i) line[beside[i]] = bra[i];
      add(move, line.data(), to);
      for (const StringNumber b : beside) line[b] = 0;
    }
  }

 private:
  /// `line` holds the bra by its beta strings.
  void add(const AlphaMove& move, const double* line, double* to) const {
    const auto betas = space_.betas_of(move.ket);
    const double* ket = ket_ + space_.first_row(move.ket);
    for (std::size_t i = 0; i < betas.size(); ++i) {
      const double factor = move.sign * ket[i];
      if (factor == 0) continue;
      if (const double own = factor * line[betas[i]]; own != 0)
        for (const int r : space_.occupied(Spin::beta, betas[i])) to[r * orbitals_ + r] += own;
      add(table_.of(betas[i]), space_.betas_of(move.bra), factor, line, to);
    }
  }

  /// Looks the shorter of the two up in the longer: the moves, or what stands beside the bra.
  void add(std::span<const Move> moves, std::span<const StringNumber> beside, double factor,
           const double* line, double* to) const {
    if (moves.size() <= beside.size()) {
      for (const Move& move : moves) add(move, factor, line, to);
      return;
    }
    for (const StringNumber b : beside) {
      const auto found = std::ranges::lower_bound(moves, b, {}, &Move::target);
      if (found != moves.end() && found->target == b) add(*found, factor, line, to);
    }
  }

  void add(const Move& move, double factor, const double* line, double* to) const {
    const double value = factor * line[move.target];
    to[move.to * orbitals_ + move.from] += move.odd ? -value : value;
  }

  const Space& space_;
  const double* bra_;
  const double* ket_;
  const MoveTable& table_;
  Index orbitals_;
};

}  // namespace

// Each thread fills whole matrices of their own, so the bits do not depend on the threads.
void MixedDensity::add(const double* bra, const double* ket, std::span<double> mixed) const {
  const Index n = space_.orbitals();
  const BetaMoves betas(space_, betas_, bra, ket);
  base::for_each_chunk(n * n, 1, space_.host(), [&](Index row, Index) {
    if (!alphas_.of(row).empty()) betas.add(alphas_.of(row), mixed.data() + row * n * n);
  });
}

}  // namespace cisolve::ci
