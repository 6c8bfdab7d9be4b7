#include "base/openmp/threads.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "base/budget.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace cisolve::base {
namespace {

int processors() { return std::max(1, omp_get_num_procs()); }

struct Trial {
  int count;
  std::string reason;  // why no more could be started; empty if all were
};

/// Starts up to `wanted` threads, all alive at once, then ends them.
Trial try_to_start(int wanted) {
  std::atomic<bool> counted{false};
  std::vector<std::thread> threads;
  threads.reserve(wanted);
  std::string reason;
  try {
    while (std::ssize(threads) < wanted) threads.emplace_back([&] { counted.wait(false); });
  } catch (const std::exception& error) {
    reason = error.what();
  }
  counted = true;
  counted.notify_all();
  for (std::thread& thread : threads) thread.join();
  return {static_cast<int>(std::ssize(threads)), reason};
}

/// Starts OpenMP's own threads, which it keeps: later there may be no address space for their
/// stacks.
void start_openmp_team(int threads) {
  std::atomic<int> started{0};
#pragma omp parallel num_threads(threads)
  ++started;
}

std::atomic<int> startable_threads{1};     // in the main team, as a trial showed
std::atomic<int> background_threads{0};    // registered at present
std::atomic<int> startable_background{0};  // largest concurrent number tried with success

}  // namespace

int most_threads_on(int processors) {
  constexpr int each = 16;
  constexpr int most = 4096;  // limit of the key `threads` as well
  return std::clamp(std::min(processors, most) * each, 64, most);
}

int most_threads() { return most_threads_on(processors()); }

// OpenMP keeps its threads, so the numbers found startable hold for the process.
void require_threads(int threads) {
  const int before = startable_threads;
  if (threads <= before) return;
  const auto [count, reason] = try_to_start(threads - before);
  if (!reason.empty())
    fail(ErrorKind::resources, "only ", before + count, " of ", threads,
         " threads can be started: ", reason,
         "; set a smaller number with the key `threads` or OMP_NUM_THREADS, or ",
         "raise the limit of processes (ulimit -u) or of address space (ulimit -v)");
  if (address_space_limit()) start_openmp_team(threads);
  startable_threads = std::max(threads, startable_threads.load());
}

BackgroundThreads::BackgroundThreads(int threads)
    : threads_(threads), all_(background_threads.fetch_add(threads) + threads) {}

BackgroundThreads::~BackgroundThreads() { background_threads -= threads_; }

/// Tries them in addition to the main team, which may not have been started yet.
bool BackgroundThreads::can_start() const {
  if (all_ <= startable_background && !address_space_limit()) return true;
  if (!try_to_start(threads_ + startable_threads - 1).reason.empty()) return false;
  startable_background = std::max(all_, startable_background.load());
  return true;
}

bool can_start_background_threads(int threads) {
  if (address_space_limit()) return false;
  return threads <= startable_background || BackgroundThreads(threads).can_start();
}

std::string most_threads_text() {
  return concat("at most ", most_threads(), " on this machine of ", processors(),
                processors() == 1 ? " processor" : " processors");
}

}  // namespace cisolve::base
