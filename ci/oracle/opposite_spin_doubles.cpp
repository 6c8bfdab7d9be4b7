#include "ci/oracle/opposite_spin_doubles.hpp"

#include <algorithm>
#include <numeric>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

/// Whether a cache of this size is affordable.
bool fits(Index bytes, const base::Backend& host) { return bytes <= host.host_memory().left() / 4; }

/// A connected component of alpha and beta orbital pairs joined by integrals.
struct CoupledPairs {
  std::vector<Index> alpha_pairs;
  std::vector<std::uint64_t> beta_pairs;  // bit set
};

bool meet(const std::vector<std::uint64_t>& set, const std::uint64_t* other) {
  for (std::size_t w = 0; w < set.size(); ++w)
    if ((set[w] & other[w]) != 0) return true;
  return false;
}

std::vector<CoupledPairs> kinds_of(const ExcitationScreen& screen) {
  std::vector<CoupledPairs> kinds;
  for (Index one = 0; one < screen.pairs(); ++one) {
    if (!screen.has_mixed(one)) continue;
    const std::uint64_t* with = screen.mixed_with(one);
    CoupledPairs joined{{one}, {with, with + screen.words()}};
    std::erase_if(kinds, [&](const CoupledPairs& kind) {
      if (!meet(kind.beta_pairs, with)) return false;
      for (Index w = 0; w < screen.words(); ++w) joined.beta_pairs[w] |= kind.beta_pairs[w];
      joined.alpha_pairs.insert(joined.alpha_pairs.end(), kind.alpha_pairs.begin(),
                                kind.alpha_pairs.end());
      return true;
    });
    kinds.push_back(std::move(joined));
  }
  return kinds;
}

}  // namespace

OppositeSpinIntegralRows::OppositeSpinIntegralRows(const ExcitationScreen& screen,
                                                   const OracleIntegrals& integrals,
                                                   const base::Backend& host)
    : screen_(screen), integrals_(integrals), held_(host, 0, "the alpha-beta integrals") {
  const Index count = screen.pairs() * screen.pairs();
  if (!fits(count * Index{sizeof(double)}, host)) return;
  held_ = base::Array<double>(host, count, "the alpha-beta integrals");
  base::for_each_chunk(integrals.orbitals(), 1, host, [&](Index p, Index) {
    for (Index q = 0; q < p; ++q)
      fill(static_cast<int>(p), static_cast<int>(q),
           held_.data() +
               ExcitationScreen::pair(static_cast<int>(p), static_cast<int>(q)) * screen.pairs());
  });
}

void OppositeSpinIntegralRows::fill(int p, int q, double* values) const {
  const std::uint64_t* with = screen_.mixed_with(ExcitationScreen::pair(p, q));
  Index pair = 0;
  for (int r = 1; r < integrals_.orbitals(); ++r)
    for (int s = 0; s < r; ++s, ++pair)
      values[pair] = ExcitationScreen::has(with, pair)
                         ? integrals_.two(Spin::alpha, p, q, Spin::beta, r, s)
                         : 0;
}

BetaSingles::BetaSingles(const StringFinder& betas, std::span<const std::uint8_t> reach,
                         const ExcitationScreen& screen, int orbitals, const base::Backend& host)
    : betas_(betas),
      reach_(reach),
      screen_(screen),
      orbitals_(orbitals),
      alpha_kinds_(screen.pairs(), kKinds),
      beta_kinds_(screen.pairs(), kKinds),
      first_(host, betas.size() + 1, "the single excitations of beta strings"),
      ends_(host, 0, "the single excitations of beta strings"),
      held_(host, 0, "the single excitations of beta strings") {
  find_kinds();
  store_all(host);
}

void BetaSingles::find_kinds() {
  const std::vector<CoupledPairs> kinds = kinds_of(screen_);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const auto number = static_cast<std::uint8_t>(kind % kKinds);
    for (const Index one : kinds[kind].alpha_pairs) alpha_kinds_[one] = number;
    for (Index pair = 0; pair < screen_.pairs(); ++pair)
      if (ExcitationScreen::has(kinds[kind].beta_pairs.data(), pair)) beta_kinds_[pair] = number;
  }
}

void BetaSingles::find_all(Index beta, std::vector<BetaSingle>& workspace) const {
  workspace.clear();
  const auto asks = [&](int p, int q) {
    const Index pair = ExcitationScreen::pair(p, q);
    return beta_kinds_[pair] < kKinds || screen_.has_single(Spin::beta, pair);
  };
  for_each_found_single(
      betas_, StringOccupation(Spin::beta, betas_[beta], orbitals_), asks,
      [&](int p, int q, StringNumber target, bool odd) {
        workspace.push_back({target, static_cast<std::uint16_t>(ExcitationScreen::pair(p, q)),
                             reach_[target], odd});
      });
  std::ranges::sort(workspace, {}, [&](const BetaSingle& move) { return order(move); });
}

std::span<const BetaSingle> BetaSingles::found(Index beta, int kind,
                                               std::vector<BetaSingle>& workspace) const {
  find_all(beta, workspace);
  const auto kind_of_move = [&](const BetaSingle& move) { return int{beta_kinds_[move.pair]}; };
  const auto same = std::ranges::equal_range(workspace, kind, {}, kind_of_move);
  return {same.begin(), same.end()};
}

void BetaSingles::store_all(const base::Backend& host) {
  base::for_each_chunk(betas_.size(), 64, host, [&](Index first, Index last) {
    std::vector<BetaSingle> moves;
    for (Index b = first; b < last; ++b) {
      find_all(b, moves);
      first_[b + 1] = std::ssize(moves);
    }
  });
  first_[0] = 0;
  for (Index b = 0; b < betas_.size(); ++b) first_[b + 1] += first_[b];
  const Index count = first_[betas_.size()];
  const Index ends = betas_.size() * (kKinds + 2);
  if (!fits(count * Index{sizeof(BetaSingle)} + ends * Index{sizeof(std::uint16_t)}, host)) return;
  ends_ = base::Array<std::uint16_t>(host, ends, "the single excitations of beta strings");
  held_ = base::Array<BetaSingle>(host, count, "the single excitations of beta strings");
  base::for_each_chunk(betas_.size(), 64, host, [&](Index first, Index last) {
    std::vector<BetaSingle> moves;
    for (Index b = first; b < last; ++b) {
      find_all(b, moves);
      std::ranges::copy(moves, held_.data() + first_[b]);
      std::uint16_t* end = ends_.data() + b * (kKinds + 2);
      std::fill_n(end, kKinds + 2, std::uint16_t{0});
      for (const BetaSingle& move : moves) ++end[beta_kinds_[move.pair] + 1];
      std::partial_sum(end, end + kKinds + 2, end);
    }
  });
}

}  // namespace cisolve::ci
