#include "job/run/reading_beside.hpp"

#include "base/openmp/beside.hpp"
#include "job/ranking/starting_backend.hpp"
#include "job/request/shortage.hpp"

namespace cisolve::job {
namespace {

bool has_room_twice(const base::Backend& host) {
  constexpr Index kTimes = 4;
  const base::MemoryBudget& memory = host.host_memory();
  return memory.used() <= memory.left() / kTimes;
}

}  // namespace

void ReadingBeside::begin(const Request& request, const base::Backend& host) {
  if (begun_.valid() || !is_molecular(request)) return;
  if (reads_by_forks(request, false) || !has_room_twice(host)) return;
  const auto read = [&request, host] { return std::make_unique<SecondReading>(request, host); };
  begun_ = base::begin_beside(host, read);
}

std::unique_ptr<SecondReading> ReadingBeside::finish(const Request& request,
                                                     const base::Backend& backend) {
  if (begun_.valid())
    if (auto read = if_there_is_room(MemoryOf::any, [&] { return begun_.get(); }))
      return *std::move(read);
  return std::make_unique<SecondReading>(request, backend);
}

}  // namespace cisolve::job
