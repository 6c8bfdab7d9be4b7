#include "ci/spins/spin_correlations.hpp"

#include <map>
#include <numeric>

#include "base/loops.hpp"
#include "ci/spins/spin_rows.hpp"
#include "ci/spins/spin_walk.hpp"

namespace cisolve::ci {
namespace {

/// Pairs of sites, or single ones, that a symmetry makes of one another.
struct AlikeSites {
  std::vector<SpinWord> masks;
};

std::vector<AlikeSites> alike_sites(const SpinBasis& basis) {
  const int sites = basis.words().sites();
  std::vector<AlikeSites> all;
  std::map<SpinWord, bool> taken;
  for (int a = 0; a < sites; ++a)
    for (int b = a; b < sites; ++b) {
      const SpinWord mask = SpinWord{1} << a | SpinWord{1} << b;
      if (taken[mask]) continue;
      AlikeSites alike{{mask}};
      taken[mask] = true;
      if (basis.sector())
        for (const auto& [operation, matrix] : basis.sector()->operations)
          if (const SpinWord image = moved_sites(mask, operation.to); !taken[image]) {
            taken[image] = true;
            alike.masks.push_back(image);
          }
      all.push_back(std::move(alike));
    }
  return all;
}

/// Of alike sites, over all of them.
struct Sums {
  double z = 0;         // of two: parallel less opposite; of one: up less down
  double exchange = 0;  // of two that are turned over where they are opposite

  void add(const AlikeSites& alike, const SpinWalk& walk, const double* x) {
    const SpinWord word = walk.word();
    const double here = x[walk.row()];
    for (const SpinWord mask : alike.masks) {
      const SpinWord up = word & mask;
      if (std::has_single_bit(mask)) {
        z += up != 0 ? here * here : -here * here;
        continue;
      }
      const bool parallel = up == 0 || up == mask;
      z += parallel ? here * here : -here * here;
      if (!parallel)
        walk.find(word ^ mask,
                  [&](Index row, double factor) { exchange += here * factor * x[row]; });
    }
  }
};

std::vector<Sums> sums_of(const SpinBasis& basis, const std::vector<AlikeSites>& all,
                          const double* x) {
  constexpr Index kParts = 256;
  constexpr Index kLeast = 1024;
  const Index rows = basis.dimension();
  const Index grain = std::max(kLeast, (rows + kParts - 1) / kParts);
  std::vector<Sums> parts((rows + grain - 1) / grain * std::ssize(all));
  base::for_each_chunk(rows, grain, basis.host(), [&](Index first, Index last) {
    Sums* const part = parts.data() + first / grain * std::ssize(all);
    SpinWalk walk(basis, first);
    for (Index row = first; row < last; ++row, walk.next())
      for (std::size_t i = 0; i < all.size(); ++i) part[i].add(all[i], walk, x);
  });
  std::vector<Sums> sums(all.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sums[i % all.size()].z += parts[i].z;
    sums[i % all.size()].exchange += parts[i].exchange;
  }
  return sums;
}

/// The same by products: a device has these.
std::vector<Sums> sums_on_device(const SpinBasis& basis, const std::vector<AlikeSites>& all,
                                 base::ConstBlock x, const base::Backend& device) {
  std::vector<SpinModel> models;
  for (const auto& [masks] : all) {
    SpinModel signs;
    signs.sites = basis.words().sites();
    SpinModel exchanges = signs;
    for (const SpinWord mask : masks) {
      const bool is_pair = !std::has_single_bit(mask);
      signs.energies.push_back({mask, is_pair ? 1.0 : -1.0});
      if (is_pair) exchanges.moves.push_back({mask, 1, 0});
    }
    models.push_back(std::move(signs));
    models.push_back(std::move(exchanges));
  }
  const std::vector<double> means = cuda::spin_means(basis, models, x, device);
  std::vector<Sums> sums;
  for (std::size_t i = 0; i < all.size(); ++i) sums.push_back({means[2 * i], means[2 * i + 1]});
  return sums;
}

}  // namespace

double SpinCorrelations::s2() const { return std::accumulate(dot.begin(), dot.end(), 0.0); }

double correlation_work(const SpinBasis& basis) {
  const double sites = basis.words().sites();
  const double group =
      basis.sector() ? static_cast<double>(basis.sector()->operations.size()) : 1.0;
  return static_cast<double>(basis.dimension()) * sites * sites / 2 * group;
}

SpinCorrelations spin_correlations(const SpinBasis& basis, base::ConstBlock x,
                                   const base::Backend& backend) {
  const int sites = basis.words().sites();
  const std::vector<AlikeSites> all = alike_sites(basis);
  const std::vector<Sums> sums =
      backend.is_host() ? sums_of(basis, all, x.column(0)) : sums_on_device(basis, all, x, backend);
  // With a flip among the symmetries, the mean of up and down is none.
  const bool flips = basis.sector() &&
                     std::ranges::any_of(basis.sector()->operations, [](const SectorOperation& o) {
                       return o.operation.flips;
                     });
  const std::size_t pairs = static_cast<std::size_t>(sites) * sites;
  SpinCorrelations found{sites, std::vector<double>(sites), std::vector<double>(pairs),
                         std::vector<double>(pairs)};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const SpinWord mask : all[i].masks) {
      const double alike = static_cast<double>(all[i].masks.size());
      const int a = std::countr_zero(mask);
      const int b = kMostSpins - 1 - std::countl_zero(mask);
      const std::size_t ab = a * sites + b;
      const std::size_t ba = b * sites + a;
      if (a == b) {
        found.z[a] = flips ? 0 : sums[i].z / alike / 2;
        found.zz[ab] = 0.25;
        found.dot[ab] = 0.75;
        continue;
      }
      found.zz[ab] = found.zz[ba] = sums[i].z / alike / 4;
      found.dot[ab] = found.dot[ba] = (sums[i].z / 4 + sums[i].exchange / 2) / alike;
    }
  return found;
}

}  // namespace cisolve::ci
