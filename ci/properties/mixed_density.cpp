#include "ci/properties/mixed_density.hpp"

#include <algorithm>
#include <utility>

#include "base/loops.hpp"
#include "ci/fock/strings/distances.hpp"

namespace cisolve::ci {

namespace {

constexpr Index kPieces = 16;  // pieces of the strings, processed concurrently
constexpr const char* kMemoryLabel = "the excitations by orbitals";

}  // namespace

AlphaExcitations::AlphaExcitations(const Space& space, const SingleExcitations& moves)
    : orbitals_(space.orbitals()),
      offsets_(space.host(), Index{orbitals_} * orbitals_ + 1, kMemoryLabel),
      moves_(space.host(), 0, kMemoryLabel) {
  base::Array<Index> next(space.host(), kPieces * rows(), kMemoryLabel);  // [piece][row]
  std::ranges::fill(next.span(), Index{0});
  const auto rows_of = [&](Index piece) { return next.span().subspan(piece * rows(), rows()); };
  for_each(space, moves,
           [&](Index piece, Index row, const AlphaExcitation&) { ++rows_of(piece)[row]; });
  counts_to_begins(next.span());
  moves_ = base::Array<AlphaExcitation>(space.host(), offsets_[rows()], kMemoryLabel);
  for_each(space, moves, [&](Index piece, Index row, const AlphaExcitation& move) {
    moves_[rows_of(piece)[row]++] = move;
  });
}

/// Converts counts of a row's excitations in each piece to offsets: row by row, piece by piece.
void AlphaExcitations::counts_to_begins(std::span<Index> counts) {
  Index sum = 0;
  for (Index row = 0; row < rows(); ++row) {
    offsets_[row] = sum;
    for (Index piece = 0; piece < kPieces; ++piece)
      sum += std::exchange(counts[piece * rows() + row], sum);
  }
  offsets_[rows()] = sum;
}

/// Calls take(piece, row, excitation) for all excitations, in order within a piece.
template <class Take>
void AlphaExcitations::for_each(const Space& space, const SingleExcitations& table,
                                Take&& take) const {
  const auto strings = std::ssize(space.strings(Spin::alpha));
  const Index grain = std::max<Index>(1, (strings + kPieces - 1) / kPieces);
  base::for_each_chunk(strings, grain, space.host(), [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      const auto string = static_cast<StringNumber>(s);
      for (const int p : space.occupied(Spin::alpha, s))
        take(first / grain, Index{p} * orbitals_ + p, AlphaExcitation{string, string, 1});
      for (const SingleExcitation& move : table.of(s))
        if (move.to > move.from)
          take(first / grain, Index{move.to} * orbitals_ + move.from,
               AlphaExcitation{string, move.target, move.sign()});
    }
  });
}

namespace {

/// Adds the contributions of beta excitations, for one pair of alpha orbitals, to a matrix over
/// beta orbitals r, s.
class BetaSingles {
 public:
  BetaSingles(const Space& space, const SingleExcitations& table, const double* bra,
              const double* ket)
      : space_(space), bra_(bra), ket_(ket), table_(table), orbitals_(space.orbitals()) {}

  void add(std::span<const AlphaExcitation> moves, double* to) const {
    base::Array<double> line(space_.host(), std::ssize(space_.strings(Spin::beta)),
                             "the line of a string");
    std::ranges::fill(line.span(), 0.0);
    StringDistances distances(space_.orbitals());
    std::vector<std::uint64_t> words;
    for (const AlphaExcitation& move : moves) {
      const auto betas_of_bra = space_.betas_of(move.bra);
      const double* bra = bra_ + space_.first_row(move.bra);
      for (std::size_t i = 0; i < betas_of_bra.size(); ++i) line[betas_of_bra[i]] = bra[i];
      add(move, line.data(), distances, words, to);
      for (const StringNumber b : betas_of_bra) line[b] = 0;
    }
  }

 private:
  /// Strings compared in the time of one excitation.
  static constexpr std::size_t kCompared = 8;
  static constexpr std::uint16_t kMoved = 2;  // differing orbitals of a single excitation

  /// `line`: the bra by beta strings.
  void add(const AlphaExcitation& move, const double* line, StringDistances& distances,
           std::vector<std::uint64_t>& words, double* to) const {
    const auto betas = space_.betas_of(move.ket);
    const auto betas_of_bra = space_.betas_of(move.bra);
    const double* ket = ket_ + space_.first_row(move.ket);
    const bool compares = betas_of_bra.size() < kCompared * table_.of(betas.front()).size();
    words.resize(compares ? betas_of_bra.size() * words_of_orbitals(space_.orbitals()) : 0);
    StringDistances::write(space_.strings(Spin::beta), betas_of_bra, words);
    for (std::size_t i = 0; i < betas.size(); ++i) {
      const double factor = move.sign * ket[i];
      if (factor == 0) continue;
      if (const double own = factor * line[betas[i]]; own != 0)
        for (const int r : space_.occupied(Spin::beta, betas[i])) to[r * orbitals_ + r] += own;
      const String& string = space_.strings(Spin::beta)[betas[i]];
      add(table_.of(betas[i]), betas_of_bra, factor, line,
          compares ? distances.from(string, words) : std::span<const std::uint16_t>(), to);
    }
  }

  /// Excitations of a string that end in the bra's list, found by their targets or by that list.
  void add(std::span<const SingleExcitation> moves, std::span<const StringNumber> betas_of_bra,
           double factor, const double* line, std::span<const std::uint16_t> distances,
           double* to) const {
    if (distances.empty()) {
      for (const SingleExcitation& move : moves) add(move, factor, line, to);
      return;
    }
    for (std::size_t i = 0; i < betas_of_bra.size(); ++i)
      if (distances[i] == kMoved)
        add(*std::ranges::lower_bound(moves, betas_of_bra[i], {}, &SingleExcitation::target),
            factor, line, to);
  }

  void add(const SingleExcitation& move, double factor, const double* line, double* to) const {
    const double value = factor * line[move.target];
    to[move.to * orbitals_ + move.from] += move.odd ? -value : value;
  }

  const Space& space_;
  const double* bra_;
  const double* ket_;
  const SingleExcitations& table_;
  Index orbitals_;
};

}  // namespace

// Each thread fills whole matrices over r, s, so the bits do not depend on the number of threads.
void MixedDensity::add(const double* bra, const double* ket, std::span<double> mixed) const {
  const Index n = space_.orbitals();
  const BetaSingles betas(space_, betas_, bra, ket);
  base::for_each_chunk(n * n, 1, space_.host(), [&](Index row, Index) {
    if (!alphas_.of(row).empty()) betas.add(alphas_.of(row), mixed.data() + row * n * n);
  });
}

}  // namespace cisolve::ci
