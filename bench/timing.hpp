#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/backend.hpp"

namespace cisolve::bench {

/// The median of `repeat` runs in seconds, after warming up.
template <class Work>
double median_seconds(const base::Backend& backend, int repeat, Work work) {
  constexpr int kWarmUps = 3;
  std::vector<double> seconds;
  for (int i = 0; i < kWarmUps + repeat; ++i) {
    backend.synchronize();
    const auto start = std::chrono::steady_clock::now();
    work();
    backend.synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (i >= kWarmUps) seconds.push_back(taken.count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + repeat / 2);
  return seconds[repeat / 2];
}

}  // namespace cisolve::bench
