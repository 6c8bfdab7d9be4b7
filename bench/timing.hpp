#pragma once

#include <algorithm>
#include <vector>

#include "base/backend.hpp"
#include "base/stopwatch.hpp"

namespace cisolve::bench {

/// The shortest of `repeat` runs in seconds, after one to warm up: least affected by other programs
/// on the machine.
template <class Work>
double least_seconds(const base::Backend& backend, int repeat, Work work) {
  work();
  double least = 0;
  for (int i = 0; i < repeat; ++i) {
    backend.synchronize();
    const base::Stopwatch watch;
    work();
    backend.synchronize();
    least = i == 0 ? watch.seconds() : std::min(least, watch.seconds());
  }
  return least;
}

/// The median of `repeat` runs in seconds, after warming up.
template <class Work>
double median_seconds(const base::Backend& backend, int repeat, Work work) {
  constexpr int kWarmUps = 3;
  std::vector<double> seconds;
  for (int i = 0; i < kWarmUps + repeat; ++i) {
    backend.synchronize();
    const base::Stopwatch watch;
    work();
    backend.synchronize();
    if (i >= kWarmUps) seconds.push_back(watch.seconds());
  }
  std::ranges::nth_element(seconds, seconds.begin() + repeat / 2);
  return seconds[repeat / 2];
}

}  // namespace cisolve::bench
