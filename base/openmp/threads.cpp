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

struct Started {
  int count;
  std::string reason;  // why no more could be started
};

/// Starts threads concurrently, then ends them.
Started start(int wanted) {
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
void start_of_openmp(int threads) {
  std::atomic<int> started{0};
#pragma omp parallel num_threads(threads)
  ++started;
}

std::atomic<int> known_threads{1};  // threads in the main team
std::atomic<int> threads_beside{0};
std::atomic<int> known_beside{0};  // largest concurrent number tried

}  // namespace

int most_threads_on(int processors) {
  constexpr int each = 16;
  constexpr int most = 4096;  // limit of the key `threads` as well
  return std::clamp(std::min(processors, most) * each, 64, most);
}

int most_threads() { return most_threads_on(processors()); }

// OpenMP keeps its threads, so what is known of them is per process.
void require_threads(int threads) {
  const int before = known_threads;
  if (threads <= before) return;
  const auto [count, reason] = start(threads - before);
  if (!reason.empty())
    fail(ErrorKind::resources, "only ", before + count, " of ", threads,
         " threads can be started: ", reason, "; use fewer (threads, or OMP_NUM_THREADS), or ",
         "raise the limit of processes (ulimit -u) or of address space (ulimit -v)");
  if (address_space_limit()) start_of_openmp(threads);
  known_threads = std::max(threads, known_threads.load());
}

BackgroundThreads::BackgroundThreads(int threads)
    : threads_(threads), all_(threads_beside.fetch_add(threads) + threads) {}

BackgroundThreads::~BackgroundThreads() { threads_beside -= threads_; }

/// In addition to the main team, which may not have been started yet.
bool BackgroundThreads::can_start() const {
  if (all_ <= known_beside && !address_space_limit()) return true;
  if (!start(threads_ + known_threads - 1).reason.empty()) return false;
  known_beside = std::max(all_, known_beside.load());
  return true;
}

bool can_start_background_threads(int threads) {
  if (address_space_limit()) return false;
  return threads <= known_beside || BackgroundThreads(threads).can_start();
}

std::string most_threads_text() {
  return concat("at most ", most_threads(), " on this machine of ", processors(),
                processors() == 1 ? " processor" : " processors");
}

}  // namespace cisolve::base
