#include "ci/lattice/spins/spin_target.hpp"

#include <algorithm>
#include <cmath>

#include "base/block_kernels.hpp"

namespace cisolve::ci {
namespace {

double s2_of(int twice_spin) { return 0.25 * twice_spin * (twice_spin + 2); }

/// Whether the operation flips all spins.
bool turns_over(const SymmetryOperation& operation, const ParticleNumbers& filling) {
  return operation.flips || operation.to.front() >= filling.sites;
}

/// Whether it is the pure spin flip.
bool is_flip(const SymmetryOperation& operation, const ParticleNumbers& filling) {
  for (int place = 0; place < filling.places(); ++place)
    if (operation.to[place] % filling.sites != place % filling.sites) return false;
  return turns_over(operation, filling);
}

/// At Ms = 0 the spin flip has parity (-1)^(N/2 - S) in states of total spin S.
bool may_flip(const SymmetrySector& sector, const ParticleNumbers& filling, int twice_spin) {
  const int parity = (filling.spins() - twice_spin) / 2 % 2 == 0 ? 1 : -1;
  return std::ranges::all_of(sector.operations, [&](const SectorOperation& o) {
    return !is_flip(o.operation, filling) || o.matrix(0, 0) * parity > 0;
  });
}

/// The dimension at this Ms, without the spin flips of the sector.
double states_with(const std::optional<SymmetrySector>& sector, ParticleNumbers filling, int ms2) {
  const int spins = filling.spins();
  filling.up = (spins + ms2) / 2;
  if (filling.holds_electrons()) filling.down = (spins - ms2) / 2;
  const int most = std::max(*filling.up, filling.down.value_or(0));
  if (ms2 > spins || most > filling.sites) return 0;
  if (!sector) return static_cast<double>(*count_words(filling));
  SymmetrySector moves{sector->dimension, sector->holds_electrons, {}};
  for (const SectorOperation& o : sector->operations)
    if (!turns_over(o.operation, filling)) moves.operations.push_back(o);
  return sector_dimension(moves, filling);
}

}  // namespace

std::vector<Term> spin_squared_terms(const ParticleNumbers& filling) {
  const int sites = filling.sites;
  std::vector<Term> terms;
  for (int a = 0; a < sites; ++a)
    for (int b = a + 1; b < sites; ++b) terms.push_back({TermKind::couple, a, b, 2});
  if (!filling.holds_electrons()) return terms;
  append(terms, on_sites(sites, TermKind::energy, 0.75));
  append(terms, on_sites(sites, TermKind::repel_on_site, -1.5));
  return terms;
}

SiteModel spin_squared(const ParticleNumbers& filling) {
  return model_of(filling, spin_squared_terms(filling));
}

double fixed_spin_squared(const ParticleNumbers& filling) {
  return filling.holds_electrons() ? 0 : 0.75 * filling.sites;
}

double spin_dimension(const ParticleNumbers& filling, const std::optional<SymmetrySector>& sector,
                      int twice_spin) {
  const int spins = filling.spins();
  if (twice_spin < std::abs(filling.ms2()) || twice_spin > spins || (spins - twice_spin) % 2 != 0)
    return 0;
  if (sector && !may_flip(*sector, filling, twice_spin)) return 0;
  return states_with(sector, filling, twice_spin) - states_with(sector, filling, twice_spin + 2);
}

double energy_width(const SiteModel& model) {
  double width = 0;
  for (const SiteModel::FlipTerm& move : model.moves) width += 2 * std::abs(move.opposite);
  // For spins on sites the diagonal terms belong to the same couplings.
  if (model.holds_electrons)
    for (const SiteModel::PauliZTerm& energy : model.energies)
      if (energy.mask != 0) width += 2 * std::abs(energy.value);
  return width;
}

SpinShift spin_shift(const ParticleNumbers& filling, const std::optional<SymmetrySector>& sector,
                     int twice_spin) {
  double nearest = 0;
  bool has_smaller = false;
  bool has_larger = false;
  for (int other = filling.spins() % 2; other <= filling.spins(); other += 2) {
    if (other == twice_spin || spin_dimension(filling, sector, other) == 0) continue;
    const double distance = std::abs(s2_of(other) - s2_of(twice_spin));
    nearest = nearest == 0 ? distance : std::min(nearest, distance);
    (other < twice_spin ? has_smaller : has_larger) = true;
  }
  SpinShift lift{.offset = fixed_spin_squared(filling) - s2_of(twice_spin)};
  if (nearest == 0) return lift;
  lift.is_square = has_smaller && has_larger;
  lift.factor = lift.is_square ? 1 / (nearest * nearest) : (has_larger ? 1 : -1) / nearest;
  return lift;
}

SpinShiftedOperator::SpinShiftedOperator(const base::LinearOperator& h,
                                         const base::LinearOperator& pairs, const SpinShift& lift,
                                         double height, const base::Backend& backend, int at_once)
    : h_(h),
      pairs_(pairs),
      lift_(lift),
      height_(height),
      backend_(backend),
      image_(backend, h.rows(), at_once, "images of S^2"),
      square_(backend, h.rows(), lift.is_square ? at_once : 0, "images of S^2 twice") {}

void SpinShiftedOperator::apply(base::ConstBlock x, base::Block y) const {
  h_.apply(x, y);
  if (lift_.factor == 0) return;
  for (int j = 0; j < x.columns; j += image_.columns()) {
    const int columns = std::min(image_.columns(), x.columns - j);
    const std::vector<double> factors(columns, height_ * lift_.factor);
    base::block_kernels(backend_).axpy(backend_, factors, lifted(x.slice(j, columns)),
                                       y.slice(j, columns));
  }
}

base::Block SpinShiftedOperator::lifted(base::ConstBlock x) const {
  const base::Block once = image_.block(0, x.columns);
  shifted(x, once);
  if (!lift_.is_square) return once;
  const base::Block twice = square_.block(0, x.columns);
  shifted(once, twice);
  return twice;
}

void SpinShiftedOperator::shifted(base::ConstBlock x, base::Block y) const {
  pairs_.apply(x, y);
  const std::vector<double> offsets(x.columns, lift_.offset);
  base::block_kernels(backend_).axpy(backend_, offsets, x, y);
}

}  // namespace cisolve::ci
