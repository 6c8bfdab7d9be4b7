#include "ci/properties/density_batches.hpp"

#include <algorithm>
#include <vector>

#include "base/pack.hpp"
#include "ci/properties/density_batch.hpp"
#include "ci/properties/density_parts.hpp"

namespace cisolve::ci {
namespace {

std::vector<Index> lists_of(const Space& space) {
  std::vector<Index> lists(space.strings(Spin::alpha).size());
  for (std::size_t a = 0; a < lists.size(); ++a) lists[a] = space.list_of(static_cast<Index>(a));
  return lists;
}

}  // namespace

DensityBatches::DensityBatches(const Space& space)
    : space_(space),
      alphas_(space, Spin::alpha),
      betas_(space, Spin::beta),
      batches_(lists_of(space)) {}

bool DensityBatches::suit(const Space& space) {
  const auto strings = std::ssize(space.strings(Spin::alpha));
  const Index n = space.orbitals();
  const auto moves = [&](Spin spin) { return space.electrons(spin) * (n - space.electrons(spin)); };
  const Index parts = kDensityParts * n * n * n * n;
  const Index lines = kDensityParts * base::kPackLanes * std::ssize(space.strings(Spin::beta));
  const Index bytes = (parts + lines) * Index{sizeof(double)};
  // In other spaces lists are too short, or partial sums cost more than the excitations.
  return space.lists() * base::kPackLanes <= strings &&
         parts <= space.dimension() * moves(Spin::alpha) * moves(Spin::beta) &&
         bytes <= density_parts_budget(space);
}

void DensityBatches::add(const double* bra, const double* ket, std::span<double> mixed) const {
  const Index count = batches_.size();
  const Index parts = std::min(kDensityParts, count);
  add_in_parts(space_, parts, mixed, [&](Index part, std::span<double> sum) {
    DensityBatch walk(space_, alphas_, betas_, bra, ket);
    for (Index i = count * part / parts; i < count * (part + 1) / parts; ++i)
      walk.add(batches_[i], sum);
  });
}

}  // namespace cisolve::ci
