#include "ci/spins/spin_target.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/block_kernels.hpp"

namespace cisolve::ci {
namespace {

double s2_of(int twice_spin) { return 0.25 * twice_spin * (twice_spin + 2); }

bool is_flip(const SpinOperation& operation) {
  std::vector<int> nowhere(operation.to.size());
  std::iota(nowhere.begin(), nowhere.end(), 0);
  return operation.flips && operation.to == nowhere;
}

/// Of as many spins up as down, a flip is even where half the sites less the spin is.
bool may_flip(const SpinSector& sector, int sites, int twice_spin) {
  const int parity = (sites - twice_spin) / 2 % 2 == 0 ? 1 : -1;
  return std::ranges::all_of(sector.operations, [&](const SectorOperation& o) {
    return !is_flip(o.operation) || o.matrix(0, 0) * parity > 0;
  });
}

/// States with so many spins up, whatever a flip makes of them.
double states_with(const std::optional<SpinSector>& sector, int sites, int up) {
  if (up > sites) return 0;
  if (!sector) return static_cast<double>(*count_words(sites, up));
  SpinSector moves{sector->dimension, {}};
  for (const SectorOperation& o : sector->operations)
    if (!o.operation.flips) moves.operations.push_back(o);
  return sector_dimension(moves, up);
}

int columns_at_once(Index rows) {
  constexpr Index kMany = 1 << 22;
  constexpr int kLiftedAtOnce = 4;
  return rows < kMany ? kLiftedAtOnce : 1;
}

}  // namespace

std::vector<Term> spin_squared(int sites) {
  std::vector<Term> pairs;
  for (int a = 0; a < sites; ++a)
    for (int b = a + 1; b < sites; ++b) pairs.push_back({TermKind::couple, a, b, 2});
  return pairs;
}

double spin_dimension(const SpinWords& words, const std::optional<SpinSector>& sector,
                      int twice_spin) {
  const int sites = words.sites();
  const int twice_projection = std::abs(2 * words.up().value() - sites);
  if (twice_spin < twice_projection || twice_spin > sites || (sites - twice_spin) % 2 != 0)
    return 0;
  if (sector && !may_flip(*sector, sites, twice_spin)) return 0;
  const int up = (sites + twice_spin) / 2;
  return states_with(sector, sites, up) - states_with(sector, sites, up + 1);
}

double energy_width(const SpinModel& model) {
  double width = 0;
  for (const SpinModel::Move& move : model.moves) width += 2 * std::abs(move.opposite);
  return width;
}

SpinLift spin_lift(const SpinWords& words, const std::optional<SpinSector>& sector,
                   int twice_spin) {
  double nearest = 0;
  bool has_smaller = false;
  bool has_larger = false;
  for (int other = words.sites() % 2; other <= words.sites(); other += 2) {
    if (other == twice_spin || spin_dimension(words, sector, other) == 0) continue;
    const double distance = std::abs(s2_of(other) - s2_of(twice_spin));
    nearest = nearest == 0 ? distance : std::min(nearest, distance);
    (other < twice_spin ? has_smaller : has_larger) = true;
  }
  SpinLift lift{.offset = 0.75 * words.sites() - s2_of(twice_spin)};
  if (nearest == 0) return lift;
  lift.is_square = has_smaller && has_larger;
  lift.factor = lift.is_square ? 1 / (nearest * nearest) : (has_larger ? 1 : -1) / nearest;
  return lift;
}

LiftedSpins::LiftedSpins(const base::LinearOperator& h, const base::LinearOperator& pairs,
                         const SpinLift& lift, double height, const base::Backend& backend)
    : h_(h),
      pairs_(pairs),
      lift_(lift),
      height_(height),
      backend_(backend),
      image_(backend, h.rows(), columns_at_once(h.rows()), "images of S^2"),
      square_(backend, h.rows(), lift.is_square ? columns_at_once(h.rows()) : 0,
              "images of S^2 twice") {}

void LiftedSpins::apply(base::ConstBlock x, base::Block y) const {
  h_.apply(x, y);
  if (lift_.factor == 0) return;
  for (int j = 0; j < x.columns; j += image_.columns()) {
    const int columns = std::min(image_.columns(), x.columns - j);
    const std::vector<double> factors(columns, height_ * lift_.factor);
    base::block_kernels(backend_).axpy(backend_, factors, lifted(x.slice(j, columns)),
                                       y.slice(j, columns));
  }
}

base::Block LiftedSpins::lifted(base::ConstBlock x) const {
  const base::Block once = image_.block(0, x.columns);
  shifted(x, once);
  if (!lift_.is_square) return once;
  const base::Block twice = square_.block(0, x.columns);
  shifted(once, twice);
  return twice;
}

void LiftedSpins::shifted(base::ConstBlock x, base::Block y) const {
  pairs_.apply(x, y);
  const std::vector<double> offsets(x.columns, lift_.offset);
  base::block_kernels(backend_).axpy(backend_, offsets, x, y);
}

}  // namespace cisolve::ci
