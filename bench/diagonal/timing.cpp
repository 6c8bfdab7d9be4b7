#include <algorithm>
#include <cmath>
#include <map>

#include "base/cuda/context.hpp"
#include "bench/diagonal/rivals.hpp"
#include "sparse/diagonal/band_pairs.hpp"
#include "sparse/diagonal/pair_kernels.hpp"

namespace cisolve::bench {

double best_seconds(const base::Backend& device, int runs, const std::function<void()>& work) {
  const base::cuda::Stream& stream = device.device().stream_object();
  base::cuda::Event start;
  base::cuda::Event stop;
  double best = 1e9;
  work();
  for (int run = 0; run < runs; ++run) {
    start.record(stream);
    work();
    stop.record(stream);
    best = std::min(best, 1e-3 * static_cast<double>(stop.milliseconds_since(start)));
  }
  return best;
}

std::vector<Measured> all_algorithms(const sparse::DiagonalProductPlan& plan,
                                     const sparse::Diagonal& a, const sparse::Diagonal& b,
                                     const sparse::Diagonal& expected) {
  using sparse::cuda::PairAlgorithm;
  const base::Backend& device = a.values.backend();
  std::vector<Measured> list;
  const std::map<PairAlgorithm, std::string> names{{PairAlgorithm::stages, "in stages"},
                                                   {PairAlgorithm::groups, "in groups"},
                                                   {PairAlgorithm::bands, "as dense tiles"}};
  for (const PairAlgorithm algorithm :
       {PairAlgorithm::stages, PairAlgorithm::groups, PairAlgorithm::bands}) {
    sparse::Diagonal c = plan.allocate();
    const auto product = sparse::cuda::place_pairs(device, plan.pairs(), algorithm);
    Measured found{.name = names.at(product->algorithm())};
    found.value_seconds = best_seconds(device, 5, [&] {
      product->multiply(a.values.data(), b.values.data(), 0, c.values.data());
    });
    found.error = error_of(c, expected);
    list.push_back(found);
  }
  return list;
}

double error_of(const sparse::Diagonal& c, const sparse::Diagonal& expected) {
  const sparse::Diagonal on_host = c.to(expected.values.backend());
  double largest = 0;
  double worst = 0;
#pragma omp parallel for reduction(max : largest, worst)
  for (Index i = 0; i < expected.values.size(); ++i) {
    largest = std::max(largest, std::abs(expected.values[i]));
    const double difference = std::abs(on_host.values[i] - expected.values[i]);
    worst = std::max(worst, difference < 1e300 ? difference : 1e300);
  }
  return worst / largest;
}

}  // namespace cisolve::bench
