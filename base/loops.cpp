#include "base/loops.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

namespace cisolve::base {

void for_each_chunk(Index rows, Index grain, int threads,
                    const std::function<void(Index, Index)>& work) {
  std::exception_ptr failure;
  std::mutex failure_guard;
  std::atomic<bool> failed{false};
  const Index chunks = (rows + grain - 1) / grain;
  if (omp_in_parallel() != 0 || chunks == 1) threads = 1;  // each outer thread has work
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (Index chunk = 0; chunk < chunks; ++chunk) {
    if (failed) continue;
    try {
      work(chunk * grain, std::min(rows, (chunk + 1) * grain));
    } catch (...) {
      const std::lock_guard lock(failure_guard);
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void for_each_chunk(Index rows, Index grain, const Backend& host,
                    const std::function<void(Index, Index)>& work) {
  for_each_chunk(rows, grain, host.threads(), work);
}

}  // namespace cisolve::base
