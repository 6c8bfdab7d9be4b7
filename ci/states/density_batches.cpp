#include "ci/states/density_batches.hpp"

#include <algorithm>
#include <vector>

#include "base/loops.hpp"
#include "base/pack.hpp"
#include "ci/states/density_walk.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kMostBytes = Index{1} << 30;

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
  const Index parts = kParts * n * n * n * n;
  const Index lines = kParts * base::kPackLanes * std::ssize(space.strings(Spin::beta));
  const Index bytes = (parts + lines) * Index{sizeof(double)};
  // Else lists are too short, or their parts of the sum cost more than the moves.
  return space.lists() * base::kPackLanes <= strings &&
         parts <= space.dimension() * moves(Spin::alpha) * moves(Spin::beta) &&
         bytes <= std::min(kMostBytes, space.host().host_memory().left() / 4);
}

void DensityBatches::add(const double* bra, const double* ket, std::span<double> mixed) const {
  const Index size = std::ssize(mixed);
  base::Array<double> sums(space_.host(), parts() * size, "parts of a density");
  std::ranges::fill(sums.span(), 0.0);
  base::for_each_chunk(parts(), 1, space_.host(), [&](Index first, Index last) {
    DensityWalk walk(space_, alphas_, betas_, bra, ket);
    const Index count = batches_.size();
    for (Index part = first; part < last; ++part)
      for (Index i = count * part / parts(); i < count * (part + 1) / parts(); ++i)
        walk.add(batches_[i], sums.span().subspan(part * size, size));
  });
  for (Index part = 0; part < parts(); ++part)
    for (Index i = 0; i < size; ++i) mixed[i] += sums[part * size + i];
}

}  // namespace cisolve::ci
