#include "ci/properties/three_particle_density.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/loops.hpp"
#include "ci/properties/excitation_products.hpp"

namespace cisolve::ci {
namespace {

double delta(Index p, Index q) { return p == q ? 1 : 0; }

Index binomial(Index n, Index k) {
  Index value = 1;
  for (Index i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

void require_full_ci(const Space& space) {
  for (const Spin spin : {Spin::alpha, Spin::beta})
    if (std::ssize(space.strings(spin)) != binomial(space.orbitals(), space.electrons(spin)))
      base::fail(base::ErrorKind::usage,
                 "three-particle densities are of full CI; expected all strings of the electrons");
  if (space.dimension() !=
      std::ssize(space.strings(Spin::alpha)) * std::ssize(space.strings(Spin::beta)))
    base::fail(base::ErrorKind::usage,
               "three-particle densities are of full CI; expected all pairs of strings");
}

/// Densities with all creators to the left, by the symmetries that those of real states have: any
/// order of the pairs, and both indices of every pair exchanged.
class OrderedDensities {
 public:
  OrderedDensities(const ExcitationRows& rows, const ExcitationProducts::Sums& sums)
      : rows_(rows), sums_(sums) {}

  using Pair = ExcitationRows::Pair;
  static Pair reversed(Pair pair) { return {pair.from, pair.to}; }

  double one(Pair a) const {
    if (a.to < a.from) a = reversed(a);
    return sums_(0, rows_.column(a.to, a.from));
  }
  /// <a+_p a+_r a_s a_q> of pairs pq, rs.
  double two(Pair a, Pair b) const {
    if (b.to < b.from) return two(reversed(a), reversed(b));
    const double product =
        sums_(rows_.row_of(rows_.place(a.from, a.to)), rows_.column(b.to, b.from));
    return product - delta(a.from, b.to) * one({a.to, b.from});
  }
  /// <a+_p a+_r a+_t a_u a_s a_q> of pairs pq, rs, tu.
  double three(Pair a, Pair b, Pair c) const {
    // The column is a pair that none of the others is below.
    if (rows_.place(a.to, a.from) > rows_.place(c.to, c.from)) std::swap(a, c);
    if (rows_.place(b.to, b.from) > rows_.place(c.to, c.from)) std::swap(b, c);
    if (c.to < c.from) {
      a = reversed(a);
      b = reversed(b);
      c = reversed(c);
    }
    Index x = rows_.place(b.from, b.to);
    Index y = rows_.place(a.from, a.to);
    if (x < y) {
      std::swap(x, y);
      std::swap(a, b);
    }
    return sums_(rows_.row_of(x, y), rows_.column(c.to, c.from)) - contractions(a, b, c);
  }

  /// <E_pq E_rs E_tu> without three().
  double contractions(Pair a, Pair b, Pair c) const {
    double sum = 0;
    if (a.from == b.to) sum += two({a.to, b.from}, c);
    if (b.from == c.to) sum += two(a, {b.to, c.from});
    if (a.from == c.to) sum += two({a.to, c.from}, b);
    if (a.from == b.to && b.from == c.to) sum += one({a.to, c.from});
    return sum;
  }

 private:
  const ExcitationRows& rows_;
  const ExcitationProducts::Sums& sums_;
};

}  // namespace

void three_particle_density(const Space& space, const double* x, const base::Backend& backend,
                            const ThreeParticleDensity& density) {
  require_full_ci(space);
  const ExcitationRows rows(space.orbitals());
  const ExcitationProducts::Sums sums = excitation_products(rows, space, x, backend)->densities();
  const OrderedDensities ordered(rows, sums);
  const Index n = space.orbitals();
  const auto pair_at = [n](Index i) {
    return ExcitationRows::Pair{static_cast<int>(i / n), static_cast<int>(i % n)};
  };
  base::for_each_chunk(n * n, 1, space.host(), [&](Index pq, Index) {
    const auto a = pair_at(pq);
    density.one[pq] = ordered.one(a);
    for (Index rs = 0; rs < n * n; ++rs) {
      const auto b = pair_at(rs);
      density.two[pq * n * n + rs] =
          ordered.two(a, b) + delta(a.from, b.to) * ordered.one({a.to, b.from});
      double* const three = density.three.data() + (pq * n * n + rs) * n * n;
      for (Index tu = 0; tu < n * n; ++tu) {
        const auto c = pair_at(tu);
        three[tu] = ordered.three(a, b, c) + ordered.contractions(a, b, c);
      }
    }
  });
}

void contract_four_particle_density(const Space& space, const double* x,
                                    const base::Backend& backend,
                                    const FourParticleContractions& contractions) {
  require_full_ci(space);
  const ExcitationRows rows(space.orbitals());
  const auto products = excitation_products(rows, space, x, backend);
  const int n = space.orbitals();
  const int most = products->most_contracted();
  for (int first = 0; first < n; first += most) {
    const int last = std::min(n, first + most);
    const ExcitationProducts::Sums sums = products->contracted(contractions.two_body, first, last);
    const Index count = last - first;
    const Index columns = n * count;
    // Element [p][q][r][s] of a column, by [E_pq, E_rs] if rows hold the other order.
    const auto product = [&](Index p, Index q, Index r, Index s, Index column) {
      const Index x_place = rows.place(static_cast<int>(s), static_cast<int>(r));
      const Index y_place = rows.place(static_cast<int>(q), static_cast<int>(p));
      if (x_place >= y_place) return sums(rows.row_of(x_place, y_place), column);
      double sum = sums(rows.row_of(y_place, x_place), column);
      const auto one = [&](Index to, Index from) {
        return sums(rows.row_of(rows.place(static_cast<int>(from), static_cast<int>(to))), column);
      };
      if (q == r) sum += one(p, s);
      if (p == s) sum -= one(r, q);
      return sum;
    };
    base::for_each_chunk(Index{n} * n, 1, space.host(), [&](Index pq, Index) {
      for (Index rs = 0; rs < Index{n} * n; ++rs) {
        const Index at = (pq * n * n + rs) * n * n;
        for (Index other = 0; other < n; ++other)
          for (Index f = 0; f < count; ++f) {
            const Index column = other * count + f;
            const auto element = [&](Index from) {
              return product(pq / n, pq % n, rs / n, rs % n, from);
            };
            contractions.ca[at + other * n + first + f] = element(column);
            contractions.ac[at + (first + f) * n + other] = element(columns + column);
          }
      }
    });
  }
}

}  // namespace cisolve::ci
