#pragma once

#include <string>

namespace cisolve::base {

/// The most threads that a backend has beside so many processors: sixteen for each, 64 where that
/// is more, and never more than 4096. More of them only wait for one another, and each takes memory
/// of the kernel's; where there are 20,000, OpenMP leaves its stack.
int most_threads_beside(int processors);

/// On this machine: beside the processors that this process may use.
int most_threads();

/// Fails where so many cannot be started, for a limit of processes or of address space: OpenMP
/// would end the process, with a message and a code of its own.
void require_threads(int threads);

/// Threads that may work beside all others, for as long as this stands. A thread that is not
/// OpenMP's has others of its own for what it does in parallel.
class ThreadsBeside {
 public:
  explicit ThreadsBeside(int threads);
  ThreadsBeside(const ThreadsBeside&) = delete;
  ThreadsBeside& operator=(const ThreadsBeside&) = delete;
  ~ThreadsBeside();

  /// Whether they can be started. Starting them takes milliseconds beside a device, so that it is
  /// tried once for as many as stand at a time; but each time where address space is limited, of
  /// which memory takes its part.
  bool can_start() const;

 private:
  int threads_;
  int all_;  // that stand, with these
};

/// Those who work beside each other at a time, at most, each with threads of its own: as many are
/// tried before a device starts threads, so that nobody tries later.
inline constexpr int kTeamsBeside = 3;

/// Whether so many may work beside those of the process's own, as is found out once, while nobody
/// else starts threads: a trial may take the last ones that there are. False where address space is
/// limited, of which memory takes its part.
bool knows_threads_beside(int threads);

/// "at most 64 on this machine of 2 processors"
std::string most_threads_told();

}  // namespace cisolve::base
