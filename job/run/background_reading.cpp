#include "job/run/background_reading.hpp"

#include "base/openmp/background.hpp"
#include "job/ranking/async_backend.hpp"
#include "job/request/shortage.hpp"

namespace cisolve::job {
namespace {

bool has_memory_for_second_reading(const base::Backend& host) {
  constexpr Index kTimes = 4;
  const base::MemoryBudget& memory = host.host_memory();
  return memory.used() <= memory.left() / kTimes;
}

}  // namespace

void BackgroundReading::begin(const Request& request, const base::Backend& host) {
  if (begun_.valid() || !has_determinants(request)) return;
  if (reads_by_forks(request, false) || !has_memory_for_second_reading(host)) return;
  const auto read = [&request, host] {
    return std::make_unique<IndependentProblem>(request, host);
  };
  begun_ = base::run_in_background(host, read);
}

std::unique_ptr<IndependentProblem> BackgroundReading::finish(const Request& request,
                                                              const base::Backend& backend) {
  if (begun_.valid())
    if (auto read = if_memory_allows(MemoryOf::any, [&] { return begun_.get(); }))
      return *std::move(read);
  return std::make_unique<IndependentProblem>(request, backend);
}

}  // namespace cisolve::job
