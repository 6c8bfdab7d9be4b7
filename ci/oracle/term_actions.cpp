#include "ci/oracle/term_actions.hpp"

#include <bit>

namespace cisolve::ci {
namespace {

using Visit = std::function<void(BasisState, double)>;

bool is_taken(BasisState word, int place) { return (word >> place & 1) != 0; }

BasisState flipped(BasisState word, int place) {
  return word ^ BasisState { 1 } << place;
}

void apply_to_spins(const Term& term, BasisState word, const Visit& visit) {
  const auto& [kind, a, b, strength] = term;
  const double z = is_taken(word, a) == is_taken(word, b) ? 0.25 : -0.25;
  const double x = 0.25;                  // S^x S^x flips both, with +1/4
  const double y = z < 0 ? 0.25 : -0.25;  // S^y S^y flips both, with -1/4 if they are parallel
  const BasisState both = flipped(flipped(word, a), b);
  switch (kind) {
    case TermKind::couple:
      visit(word, strength * z);
      visit(both, strength * (x + y));
      break;
    case TermKind::couple_z: visit(word, strength * z); break;
    case TermKind::couple_x: visit(both, strength * x); break;
    case TermKind::couple_y: visit(both, strength * y); break;
    case TermKind::couple_xy: visit(both, strength * (x + y)); break;
    case TermKind::field: visit(word, is_taken(word, a) ? strength / 2 : -strength / 2); break;
    case TermKind::field_x: visit(flipped(word, a), strength / 2); break;
    default: break;
  }
}

/// A basis state with a fermion sign; 0: annihilated.
struct SignedWord {
  BasisState word = 0;
  int sign = 1;
};

/// Creates or annihilates an electron; the sign is (-1)^(electrons before the place).
SignedWord changed(SignedWord from, int place, bool made) {
  if (from.sign == 0 || is_taken(from.word, place) == made) return {from.word, 0};
  int sign = from.sign;
  for (int p = 0; p < place; ++p)
    if (is_taken(from.word, p)) sign = -sign;
  return {flipped(from.word, place), sign};
}

/// c+_to c_place.
SignedWord moved(SignedWord from, int to, int place) {
  return changed(changed(from, place, false), to, true);
}

void apply_to_electrons(const Term& term, int sites, BasisState word, const Visit& visit) {
  const auto& [kind, a, b, strength] = term;
  const auto visit_term = [&](const SignedWord& found, double value) {
    if (found.sign != 0) visit(found.word, found.sign * value);
  };
  const auto up = [&](int site) { return is_taken(word, site) ? 1 : 0; };
  const auto down = [&](int site) { return is_taken(word, sites + site) ? 1 : 0; };
  const SignedWord here{word, 1};
  switch (kind) {
    case TermKind::hop:
      for (const int half : {0, sites}) {
        visit_term(moved(here, half + a, half + b), -strength);
        visit_term(moved(here, half + b, half + a), -strength);
      }
      break;
    case TermKind::energy: visit(word, strength * (up(a) + down(a))); break;
    case TermKind::repel_on_site: visit(word, strength * up(a) * down(a)); break;
    case TermKind::repel: visit(word, strength * (up(a) + down(a)) * (up(b) + down(b))); break;
    case TermKind::couple:  // S^z S^z + (S+_a S-_b + S-_a S+_b) / 2
      visit(word, strength * (up(a) - down(a)) * (up(b) - down(b)) / 4);
      visit_term(moved(moved(here, sites + b, b), a, sites + a), strength / 2);
      visit_term(moved(moved(here, b, sites + b), sites + a, a), strength / 2);
      break;
    default: break;
  }
}

}  // namespace

BasisState image_of(const SymmetryOperation& operation, const ParticleNumbers& filling,
                    BasisState word) {
  BasisState image = 0;
  if (operation.flips) word ^= all_up(filling.places());
  for (; word != 0; word &= word - 1)
    image |= BasisState{1} << operation.to[std::countr_zero(word)];
  return image;
}

int fermion_sign(const SymmetryOperation& operation, const ParticleNumbers& filling,
                 BasisState word) {
  if (!filling.holds_electrons()) return 1;
  int sign = 1;
  for (BasisState left = word; left != 0; left &= left - 1)
    for (BasisState later = left & (left - 1); later != 0; later &= later - 1)
      if (operation.to[std::countr_zero(later)] < operation.to[std::countr_zero(left)])
        sign = -sign;
  return sign;
}

void apply_term(const Term& term, const ParticleNumbers& filling, BasisState word,
                const Visit& visit) {
  if (filling.holds_electrons())
    apply_to_electrons(term, filling.sites, word, visit);
  else
    apply_to_spins(term, word, visit);
}

}  // namespace cisolve::ci
