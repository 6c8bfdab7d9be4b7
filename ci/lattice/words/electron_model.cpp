#include <algorithm>

#include "base/error.hpp"
#include "ci/lattice/words/site_model_builder.hpp"

namespace cisolve::ci {
namespace {

BasisState place(int p) { return BasisState{1} << p; }

/// Mask of the places strictly between two.
BasisState between(int p, int q) {
  const auto [low, high] = std::minmax(p, q);
  return (place(high) - 1) & ~((place(low) << 1) - 1);
}

/// Terms in Pauli Z (1 if a place is empty, -1 if occupied): n = (1 - z) / 2.
class ElectronTerms {
 public:
  explicit ElectronTerms(int sites) : sites_(sites) {}

  void add(const Term& term) {
    const auto& [kind, a, b, strength] = term;
    switch (kind) {
      case TermKind::hop:
        hop(a, b, -strength);
        hop(down(a), down(b), -strength);
        break;
      case TermKind::energy:
        occupy(a, strength);
        occupy(down(a), strength);
        break;
      case TermKind::repel_on_site: occupy_both(a, down(a), strength); break;
      case TermKind::repel:
        for (const int p : {a, down(a)})
          for (const int q : {b, down(b)}) occupy_both(p, q, strength);
        break;
      case TermKind::couple: couple(a, b, strength); break;
      default:
        base::fail(base::ErrorKind::configuration, "the term ", name_of(kind),
                   " does not act on electrons; expected t, V, U, e or J");
    }
  }

  SiteModel take() const { return gathered_.take(sites_, true); }

 private:
  int down(int site) const { return sites_ + site; }

  void hop(int p, int q, double value) {
    gathered_.add_flip(place(p) | place(q), place(std::min(p, q)), between(p, q), value);
  }
  void occupy(int p, double value) {
    gathered_.energy(0, value / 2);
    gathered_.energy(place(p), -value / 2);
  }
  void occupy_both(int p, int q, double value) {
    gathered_.energy(0, value / 4);
    gathered_.energy(place(p), -value / 4);
    gathered_.energy(place(q), -value / 4);
    gathered_.energy(place(p) ^ place(q), value / 4);
  }
  // S+_a S-_b = -(up: b to a)(down: a to b), two hops in different halves.
  void couple(int a, int b, double j) {
    const BasisState mask = place(a) | place(b) | place(down(a)) | place(down(b));
    const auto [low, high] = std::minmax(a, b);
    gathered_.add_flip(mask, place(low) | place(down(high)),
                       between(a, b) | between(down(a), down(b)), -j / 2);
    for (const auto& [p, q] : {std::pair(a, b), std::pair(down(a), down(b))})
      gathered_.energy(place(p) | place(q), j / 16);
    for (const auto& [p, q] : {std::pair(a, down(b)), std::pair(down(a), b)})
      gathered_.energy(place(p) | place(q), -j / 16);
  }

  int sites_;
  SiteModelBuilder gathered_;
};

}  // namespace

SiteModel electron_model(int sites, std::span<const Term> terms) {
  if (sites < 1 || 2 * sites > kMostSpins)
    base::fail(base::ErrorKind::configuration, "electrons on ", sites, " sites; expected 1 to ",
               kMostSpins / 2);
  ElectronTerms all(sites);
  for (const Term& term : terms) all.add(term);
  return all.take();
}

}  // namespace cisolve::ci
