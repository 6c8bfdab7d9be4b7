#include "ci/fock/integrals/random_integrals.hpp"

#include "base/error.hpp"
#include "base/random.hpp"

namespace cisolve::ci {
namespace {

/// Fills block by block; each block has its own random stream.
class RandomFiller {
 public:
  RandomFiller(const RandomIntegralOptions& options, Integrals& integrals)
      : options_(options), integrals_(integrals) {}

  void one_electron(Spin spin, std::uint64_t stream) {
    for (int p = 0; p < options_.orbitals; ++p)
      for (int q = 0; q <= p; ++q) {
        const double level = p == q ? options_.level_spacing * (p - options_.orbitals) : 0;
        if (label(p, q) == 0)
          integrals_.set_one(spin, p, q, level + value(stream, pair_index(p, q)));
      }
  }

  void two_electron(Spin left, Spin right, std::uint64_t stream) {
    const Index pairs = pair_index(options_.orbitals, 0);
    for (int p = 0; p < options_.orbitals; ++p)
      for (int q = 0; q <= p; ++q)
        for (int r = 0; r < options_.orbitals; ++r)
          for (int s = 0; s <= r; ++s) {
            if (label(p, q) != label(r, s)) continue;
            const Index first = pair_index(p, q);
            const Index second = pair_index(r, s);
            const Index place = left == right ? pair_index(first, second) : first * pairs + second;
            integrals_.set_two(left, p, q, right, r, s, value(stream, place));
          }
  }

 private:
  int label(int p, int q) const {
    return options_.irreps.empty() ? 0 : options_.irreps[p] ^ options_.irreps[q];
  }
  double value(std::uint64_t stream, Index place) const {
    const std::uint64_t bits = base::mix(base::mix(options_.seed, stream), place);
    return options_.coupling * base::symmetric_interval(bits);
  }

  const RandomIntegralOptions& options_;
  Integrals& integrals_;
};

}  // namespace

Integrals random_integrals(const RandomIntegralOptions& options, const base::Backend& host) {
  if (!options.irreps.empty() && std::ssize(options.irreps) != options.orbitals)
    base::fail(base::ErrorKind::configuration, options.irreps.size(), " irreps for ",
               options.orbitals, " orbitals; expected one per orbital, or none");
  Integrals integrals(options.orbitals, options.spin_dependent, host);
  RandomFiller filler(options, integrals);
  filler.one_electron(Spin::alpha, 0);
  filler.two_electron(Spin::alpha, Spin::alpha, 1);
  if (options.spin_dependent) {
    filler.one_electron(Spin::beta, 2);
    filler.two_electron(Spin::beta, Spin::beta, 3);
    filler.two_electron(Spin::alpha, Spin::beta, 4);
  }
  if (!options.irreps.empty()) integrals.set_irreps(options.irreps);
  return integrals;
}

}  // namespace cisolve::ci
