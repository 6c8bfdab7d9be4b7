#include "ci/lattice/words/site_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "ci/lattice/words/site_model_builder.hpp"

namespace cisolve::ci {
namespace {

void add(const Term& term, SiteModelBuilder& model) {
  const auto& [kind, a, b, j] = term;
  const BasisState mask = BasisState{1} << a | BasisState{1} << b;
  const auto couple = [&](double x, double y) { model.add_flip(a, b, (x + y) / 4, (x - y) / 4); };
  switch (kind) {
    case TermKind::couple:
      couple(j, j);
      model.energy(mask, j / 4);
      break;
    case TermKind::couple_x: couple(j, 0); break;
    case TermKind::couple_y: couple(0, j); break;
    case TermKind::couple_xy: couple(j, j); break;
    case TermKind::couple_z: model.energy(mask, j / 4); break;
    case TermKind::field: model.energy(mask, -j / 2); break;
    case TermKind::field_x: model.add_flip(a, b, j / 2, j / 2); break;
    default:
      base::fail(base::ErrorKind::configuration, "the term ", name_of(kind),
                 " does not act on spins; expected J, Jx, Jy, Jz, Jxy, h or hx");
  }
}

bool is_of_two(BasisState mask) { return count_bits(mask) == 2; }

constexpr double kSame = 1e-12;

template <class Entry, class Same>
bool goes_to_itself(const std::vector<Entry>& entries, std::span<const int> to, Same same) {
  return std::ranges::all_of(entries, [&](const Entry& entry) {
    const BasisState mask = moved_places(entry.mask, to);
    const auto image = std::ranges::lower_bound(entries, mask, {}, &Entry::mask);
    return image != entries.end() && image->mask == mask && same(entry, *image);
  });
}

bool near(double a, double b) { return std::abs(a - b) <= kSame * std::max(1.0, std::abs(a)); }

}  // namespace

BasisState moved_places(BasisState mask, std::span<const int> to) {
  BasisState image = 0;
  for (BasisState left = mask; left != 0; left &= left - 1)
    image |= BasisState{1} << to[std::countr_zero(left)];
  return image;
}

double SiteModel::scale() const {
  double sum = 0;
  for (const PauliZTerm& energy : energies) sum += std::abs(energy.value);
  for (const FlipTerm& move : moves) sum += std::abs(move.opposite) + std::abs(move.parallel);
  return sum;
}

std::vector<int> SiteModel::moved(std::span<const int> to) const {
  std::vector<int> all(to.begin(), to.end());
  if (holds_electrons)
    for (const int site : to) all.push_back(sites + site);
  return all;
}

std::vector<int> SiteModel::exchanged() const {
  std::vector<int> to;
  for (int place = 0; place < 2 * sites; ++place) to.push_back((place + sites) % (2 * sites));
  return to;
}

bool SiteModel::keeps_projection() const {
  return holds_electrons || std::ranges::all_of(moves, [](const FlipTerm& move) {
           return is_of_two(move.mask) && move.parallel == 0;
         });
}

bool SiteModel::keeps_flip() const {
  if (holds_electrons) return keeps(exchanged());
  return std::ranges::all_of(energies, [](const PauliZTerm& e) { return is_of_two(e.mask); });
}

// Signs need no check: a permutation of sites maps the operators of all terms consistently.
bool SiteModel::keeps(std::span<const int> to) const {
  const auto same_move = [&](const FlipTerm& a, const FlipTerm& b) {
    const BasisState from = moved_places(a.from, to);
    return (from == b.from || from == (b.mask ^ b.from)) && near(a.opposite, b.opposite) &&
           near(a.parallel, b.parallel);
  };
  const auto same_energy = [](const PauliZTerm& a, const PauliZTerm& b) {
    return near(a.value, b.value);
  };
  return goes_to_itself(moves, to, same_move) && goes_to_itself(energies, to, same_energy);
}

bool SiteModel::keeps_spin() const {
  if (holds_electrons) return true;  // no term of electrons breaks it
  if (!keeps_projection() || !keeps_flip() || moves.size() != energies.size()) return false;
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (moves[i].mask != energies[i].mask || !near(moves[i].opposite, 2 * energies[i].value))
      return false;
  return true;
}

SiteModel spin_model(int sites, std::span<const Term> terms) {
  if (sites < 1 || sites > kMostSpins)
    base::fail(base::ErrorKind::configuration, sites, " spins; expected 1 to ", kMostSpins);
  SiteModelBuilder gathered;
  for (const Term& term : terms) add(term, gathered);
  return gathered.take(sites, false);
}

}  // namespace cisolve::ci
