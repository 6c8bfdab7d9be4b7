#pragma once

#include <string>

namespace cisolve::base {

/// Largest number of threads for `processors` processors: 16 per processor, at least 64, at most
/// 4096. More only wait for one another, and each takes kernel memory; with 20,000 OpenMP overflows
/// its stack.
int most_threads_on(int processors);

/// The largest number of threads for the processors that this process may use.
int most_threads();

/// Throws if `threads` threads cannot be started, by a limit of processes or address space: OpenMP
/// would end the process with its own message and exit code.
void require_threads(int threads);

/// Registers threads that may run concurrently with all others, for its lifetime. A non-OpenMP
/// thread has an OpenMP team of its own.
class BackgroundThreads {
 public:
  explicit BackgroundThreads(int threads);
  BackgroundThreads(const BackgroundThreads&) = delete;
  BackgroundThreads& operator=(const BackgroundThreads&) = delete;
  ~BackgroundThreads();

  /// Whether they can be started. A trial takes milliseconds next to a device, so the largest
  /// concurrent number is tried once; if address space is limited, every time, since memory
  /// consumes it.
  bool can_start() const;

 private:
  int threads_;
  int all_;  // registered, including these
};

/// Largest number of concurrent background teams: tried before a device starts threads, so that no
/// trial is needed later.
inline constexpr int kBackgroundTeams = 3;

/// Whether `threads` may run in addition to the main team, determined once, while no other code
/// starts threads: a trial may take the last available ones. False if address space is limited.
bool can_start_background_threads(int threads);

/// "at most 64 on this machine of 2 processors"
std::string most_threads_text();

}  // namespace cisolve::base
