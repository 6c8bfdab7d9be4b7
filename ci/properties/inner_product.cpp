#include "ci/properties/inner_product.hpp"

#include <array>

#include "base/pack.hpp"

namespace cisolve::ci {
namespace {

constexpr base::Index kSums = 4;  // independent packs, to hide the latency of additions

}  // namespace

CISOLVE_FOR_NEWER_PROCESSORS
double inner_product(const double* a, const double* b, base::Index count) {
  constexpr base::Index kStep = kSums * base::kPackLanes;
  std::array<base::Pack, kSums> sums{};
  base::Index i = 0;
  for (; i + kStep <= count; i += kStep)
    for (base::Index k = 0; k < kSums; ++k)
      sums[k].of += base::Pack::at(a + i + k * base::kPackLanes) *
                    base::Pack::at(b + i + k * base::kPackLanes);
  const base::Pack::Lanes lanes = (sums[0].of + sums[1].of) + (sums[2].of + sums[3].of);
  double sum = 0;
  for (int lane = 0; lane < base::kPackLanes; ++lane) sum += lanes[lane];
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace cisolve::ci
