#include "base/pack.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace cisolve::base {
namespace {

CISOLVE_FOR_NEWER_PROCESSORS
void add_packs(const Pack* from, Index count, Pack* sum) {
  for (Index i = 0; i < count; ++i) sum->of += from[i].of;
}

TEST(Pack, IsAlignedForTheLongestRegisters) {
  for (Index count = 1; count < 40; ++count) {
    std::vector<Pack> packs(count);
    packs.resize(count + 3);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(packs.data()) % sizeof(Pack), 0U);
    for (Index i = 0; i < count; ++i)
      for (int lane = 0; lane < kPackLanes; ++lane)
        packs[i].of[lane] = static_cast<double>(i + 1) * (lane + 1);
    Pack sum;
    add_packs(packs.data(), count + 3, &sum);
    for (int lane = 0; lane < kPackLanes; ++lane)
      EXPECT_EQ(2 * sum.of[lane], static_cast<double>(count * (count + 1) * (lane + 1)));
  }
}

}  // namespace
}  // namespace cisolve::base
