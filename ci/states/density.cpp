#include "ci/states/density.hpp"

#include <algorithm>

#include "base/loops.hpp"
#include "ci/states/moves.hpp"
#include "ci/states/string_overlaps.hpp"

namespace cisolve::ci {
namespace {

constexpr std::array kSpins{Spin::alpha, Spin::beta};

Index pairs_of(int orbitals) { return Index{orbitals} * (orbitals - 1) / 2; }

/// Of a pair p > q without p = q.
Index place_of_pair(int p, int q) { return Index{p} * (p - 1) / 2 + q; }

/// a+_p a+_r or its reverse order, as the pair p > r and a sign.
struct OrderedPair {
  Index place;
  double sign;
};
OrderedPair ordered(int p, int r) {
  return p > r ? OrderedPair{place_of_pair(p, r), 1} : OrderedPair{place_of_pair(r, p), -1};
}

/// Adds overlaps to a matrix over pairs of electrons of one spin.
class SamePairs {
 public:
  SamePairs(const Space& space, Spin spin, std::span<double> values)
      : space_(space), spin_(spin), pairs_(pairs_of(space.orbitals())), values_(values) {}

  void add(const StringOverlap& overlap) {
    const auto occupied = space_.occupied(spin_, overlap.string);
    if (overlap.moved == 0) {
      for (std::size_t i = 0; i < occupied.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
          const Index pair = place_of_pair(occupied[i], occupied[j]);
          values_[pair * pairs_ + pair] += overlap.value;
        }
    } else if (overlap.moved == 1) {
      for (const int k : occupied)
        if (k != overlap.from.first)
          add(ordered(overlap.to.first, k), ordered(overlap.from.first, k), overlap.value);
    } else {
      add(ordered(overlap.to.second, overlap.to.first),
          ordered(overlap.from.second, overlap.from.first), overlap.value);
    }
  }

 private:
  void add(const OrderedPair& created, const OrderedPair& taken, double value) {
    const double signed_value = created.sign * taken.sign * value;
    values_[created.place * pairs_ + taken.place] += signed_value;
    values_[taken.place * pairs_ + created.place] += signed_value;
  }

  const Space& space_;
  Spin spin_;
  Index pairs_;
  std::span<double> values_;
};

/// A move of an alpha electron, or with ket = bra an alpha electron that stays.
struct AlphaMove {
  StringNumber ket;
  StringNumber bra;
  double sign;
};

/// The moves of alpha electrons up from q to p >= q, sorted by p and q.
class AlphaMoves {
 public:
  explicit AlphaMoves(const Space& space)
      : orbitals_(space.orbitals()),
        offsets_(space.host(), Index{orbitals_} * orbitals_ + 1, "the moves by orbitals"),
        moves_(space.host(), 0, "the moves by orbitals") {
    const MoveTable table(space, Spin::alpha);
    std::ranges::fill(offsets_.span(), Index{0});
    for_each(space, table, [&](Index row, const AlphaMove&) { ++offsets_[row + 1]; });
    for (Index row = 1; row < offsets_.size(); ++row) offsets_[row] += offsets_[row - 1];
    moves_ = base::Array<AlphaMove>(space.host(), offsets_[offsets_.size() - 1],
                                    "the moves by orbitals");
    std::vector<Index> next(offsets_.span().begin(), offsets_.span().end());
    for_each(space, table, [&](Index row, const AlphaMove& move) { moves_[next[row]++] = move; });
  }

  std::span<const AlphaMove> of(Index row) const {
    return moves_.span().subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
  }

 private:
  template <class Take>
  void for_each(const Space& space, const MoveTable& table, Take&& take) const {
    for (Index s = 0; s < std::ssize(space.strings(Spin::alpha)); ++s) {
      const auto string = static_cast<StringNumber>(s);
      for (const int p : space.occupied(Spin::alpha, s))
        take(Index{p} * orbitals_ + p, {string, string, 1});
      for (const Move& move : table.of(s))
        if (move.to > move.from)
          take(Index{move.to} * orbitals_ + move.from, {string, move.target, move.sign()});
    }
  }

  int orbitals_;
  base::Array<Index> offsets_;
  base::Array<AlphaMove> moves_;
};

/// Adds to a matrix over orbitals r, s of beta what goes with moves of an alpha electron.
class BetaMoves {
 public:
  BetaMoves(const Space& space, const double* x)
      : space_(space), x_(x), table_(space, Spin::beta), orbitals_(space.orbitals()) {}

  void add(std::span<const AlphaMove> moves, double* to) const {
    base::Array<double> line(space_.host(), std::ssize(space_.strings(Spin::beta)),
                             "the line of a string");
    std::ranges::fill(line.span(), 0.0);
    for (const AlphaMove& move : moves) {
      const auto beside = space_.betas_of(move.bra);
      const double* bra = x_ + space_.first_row(move.bra);
      for (std::size_t i = 0; i < beside.size(); ++i) line[beside[i]] = bra[i];
      add(move, line.data(), to);
      for (const StringNumber b : beside) line[b] = 0;
    }
  }

 private:
  /// `line` holds the bra by its beta strings.
  void add(const AlphaMove& move, const double* line, double* to) const {
    const auto betas = space_.betas_of(move.ket);
    const double* ket = x_ + space_.first_row(move.ket);
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
  const double* x_;
  MoveTable table_;
  Index orbitals_;
};

/// Each thread fills whole matrices of their own, so the bits do not depend on the threads.
void fill_mixed(const Space& space, const double* x, std::span<double> mixed) {
  const Index n = space.orbitals();
  const AlphaMoves alphas(space);
  const BetaMoves betas(space, x);
  std::ranges::fill(mixed, 0.0);
  base::for_each_chunk(n * n, 1, space.host(), [&](Index row, Index) {
    if (!alphas.of(row).empty()) betas.add(alphas.of(row), mixed.data() + row * n * n);
  });
  // Gamma_qpsr = Gamma_pqrs
  for (Index p = 0; p < n; ++p)
    for (Index q = 0; q < p; ++q)
      for (Index r = 0; r < n; ++r)
        for (Index s = 0; s < n; ++s)
          mixed[((q * n + p) * n + s) * n + r] = mixed[((p * n + q) * n + r) * n + s];
}

double same_spin_energy(const Integrals& integrals, const TwoParticleDensity& two, Spin spin) {
  const int n = integrals.orbitals();
  double sum = 0;
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q)
      for (int r = 0; r < p; ++r)
        for (int s = 0; s < n; ++s)
          if (s != q) sum += integrals.two(spin, p, q, spin, r, s) * two.same(spin, p, q, r, s);
  return sum;  // p and r swapped, with q and s, is the same term: no factor 1/2
}

double mixed_energy(const Integrals& integrals, const TwoParticleDensity& two) {
  const int n = integrals.orbitals();
  double sum = 0;
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q)
      for (int r = 0; r < n; ++r)
        for (int s = 0; s < n; ++s)
          sum += integrals.two(Spin::alpha, p, q, Spin::beta, r, s) * two.mixed(p, q, r, s);
  return sum;
}

}  // namespace

base::SmallMatrix OneParticleDensity::spin_free() const {
  base::SmallMatrix sum = spin[0];
  for (std::size_t i = 0; i < sum.values().size(); ++i) sum.values()[i] += spin[1].values()[i];
  return sum;
}

OneParticleDensity transition_density(const Space& space, const double* bra, const double* ket) {
  OneParticleDensity density(space.orbitals());
  for (const Spin spin : kSpins) {
    base::SmallMatrix& gamma = density.spin[static_cast<std::size_t>(spin)];
    StringOverlaps(space, spin, bra, ket).for_each_single([&](const StringOverlap& overlap) {
      if (overlap.moved == 1)
        gamma(overlap.to.first, overlap.from.first) += overlap.value;
      else
        for (const int p : space.occupied(spin, overlap.string)) gamma(p, p) += overlap.value;
    });
  }
  return density;
}

OneParticleDensity one_particle_density(const Space& space, const double* x) {
  return transition_density(space, x, x);
}

TwoParticleDensity::TwoParticleDensity(const Space& space, const double* x)
    : orbitals_(space.orbitals()),
      same_{base::Array<double>(space.host(), pairs_of(orbitals_) * pairs_of(orbitals_),
                                "a two-particle density"),
            base::Array<double>(space.host(), pairs_of(orbitals_) * pairs_of(orbitals_),
                                "a two-particle density")},
      mixed_(space.host(), Index{orbitals_} * orbitals_ * orbitals_ * orbitals_,
             "a two-particle density") {
  for (const Spin spin : kSpins) {
    const auto values = same_[static_cast<std::size_t>(spin)].span();
    std::ranges::fill(values, 0.0);
    SamePairs pairs(space, spin, values);
    StringOverlaps(space, spin, x, x).for_each_double([&](const StringOverlap& overlap) {
      pairs.add(overlap);
    });
  }
  fill_mixed(space, x, mixed_.span());
}

Index TwoParticleDensity::bytes(int orbitals) {
  const Index n = orbitals;
  return Index{sizeof(double)} * (n * n * n * n + 2 * pairs_of(orbitals) * pairs_of(orbitals));
}

double TwoParticleDensity::same(Spin spin, int p, int q, int r, int s) const {
  if (p == r || q == s) return 0;
  const OrderedPair created = ordered(p, r);
  const OrderedPair taken = ordered(q, s);
  return created.sign * taken.sign *
         same_[static_cast<std::size_t>(spin)][created.place * pairs_of(orbitals_) + taken.place];
}

double TwoParticleDensity::spin_free(int p, int q, int r, int s) const {
  return same(Spin::alpha, p, q, r, s) + same(Spin::beta, p, q, r, s) + mixed(p, q, r, s) +
         mixed(r, s, p, q);
}

double energy(const Integrals& integrals, const OneParticleDensity& one,
              const TwoParticleDensity& two) {
  double sum = integrals.core_energy();
  for (const Spin spin : kSpins) {
    for (int p = 0; p < integrals.orbitals(); ++p)
      for (int q = 0; q < integrals.orbitals(); ++q)
        sum += integrals.one(spin, p, q) * one(spin, p, q);
    sum += same_spin_energy(integrals, two, spin);
  }
  return sum + mixed_energy(integrals, two);
}

}  // namespace cisolve::ci
