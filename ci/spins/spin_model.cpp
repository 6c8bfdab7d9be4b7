#include "ci/spins/spin_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

/// The terms of equal masks as one.
struct Gathered {
  struct Values {
    double opposite = 0;
    double parallel = 0;
  };
  std::map<SpinWord, Values> moves;
  std::map<SpinWord, double> energies;

  void add(const Term& term) {
    const SpinWord mask = SpinWord{1} << term.first | SpinWord{1} << term.second;
    const double j = term.strength;
    switch (term.kind) {
      case TermKind::couple:
        couple(mask, j, j);
        energies[mask] += j / 4;
        break;
      case TermKind::couple_x: couple(mask, j, 0); break;
      case TermKind::couple_y: couple(mask, 0, j); break;
      case TermKind::couple_xy: couple(mask, j, j); break;
      case TermKind::couple_z: energies[mask] += j / 4; break;
      case TermKind::field: energies[mask] -= j / 2; break;
      case TermKind::field_x:
        moves[mask].opposite += j / 2;
        moves[mask].parallel += j / 2;
        break;
      default:
        base::fail(base::Fault::configuration, "a term ", name_of(term.kind),
                   " among spins; expected J, Jx, Jy, Jz, Jxy, h or hx");
    }
  }
  void couple(SpinWord mask, double x, double y) {
    moves[mask].opposite += (x + y) / 4;
    moves[mask].parallel += (x - y) / 4;
  }
};

void require_finite(double value) {
  if (!std::isfinite(value))
    base::fail(base::Fault::configuration,
               "terms of the same sites are infinite together; expected smaller strengths");
}

bool is_of_two(SpinWord mask) { return std::popcount(mask) == 2; }

constexpr double kSame = 1e-12;

template <class Entry, class Same>
bool goes_to_itself(const std::vector<Entry>& entries, std::span<const int> to, Same same) {
  return std::ranges::all_of(entries, [&](const Entry& entry) {
    const SpinWord mask = moved_sites(entry.mask, to);
    const auto image = std::ranges::lower_bound(entries, mask, {}, &Entry::mask);
    return image != entries.end() && image->mask == mask && same(entry, *image);
  });
}

bool near(double a, double b) { return std::abs(a - b) <= kSame * std::max(1.0, std::abs(a)); }

}  // namespace

SpinWord moved_sites(SpinWord mask, std::span<const int> to) {
  SpinWord image = 0;
  for (SpinWord left = mask; left != 0; left &= left - 1)
    image |= SpinWord{1} << to[std::countr_zero(left)];
  return image;
}

bool SpinModel::keeps_projection() const {
  return std::ranges::all_of(
      moves, [](const Move& move) { return is_of_two(move.mask) && move.parallel == 0; });
}

bool SpinModel::keeps_flip() const {
  return std::ranges::all_of(energies, [](const Energy& e) { return is_of_two(e.mask); });
}

bool SpinModel::keeps(std::span<const int> to) const {
  return goes_to_itself(moves, to,
                        [](const Move& a, const Move& b) {
                          return near(a.opposite, b.opposite) && near(a.parallel, b.parallel);
                        }) &&
         goes_to_itself(energies, to,
                        [](const Energy& a, const Energy& b) { return near(a.value, b.value); });
}

bool SpinModel::keeps_spin() const {
  if (!keeps_projection() || !keeps_flip() || moves.size() != energies.size()) return false;
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (moves[i].mask != energies[i].mask || !near(moves[i].opposite, 2 * energies[i].value))
      return false;
  return true;
}

SpinModel spin_model(int sites, std::span<const Term> terms) {
  if (sites < 1 || sites > kMostSpins)
    base::fail(base::Fault::configuration, sites, " spins; expected 1 to ", kMostSpins);
  Gathered gathered;
  for (const Term& term : terms) gathered.add(term);
  for (const auto& [mask, values] : gathered.moves)
    require_finite(values.opposite + values.parallel);
  for (const auto& [mask, value] : gathered.energies) require_finite(value);
  SpinModel model{.sites = sites, .moves = {}, .energies = {}};
  for (const auto& [mask, values] : gathered.moves)
    if (values.opposite != 0 || values.parallel != 0)
      model.moves.push_back({mask, values.opposite, values.parallel});
  for (const auto& [mask, value] : gathered.energies)
    if (value != 0) model.energies.push_back({mask, value});
  return model;
}

}  // namespace cisolve::ci
