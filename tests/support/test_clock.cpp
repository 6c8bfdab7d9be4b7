#include "tests/support/test_clock.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <set>
#include <string>

#include "tests/support/sanitizers.hpp"

namespace cisolve::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Parsed from /proc/PID/stat.
struct ProcessTimes {
  int parent = 0;
  double seconds = 0;         // CPU time of the process itself
  double ended_children = 0;  // CPU time of children that it has waited for
};

bool read_times(const char* pid, ProcessTimes& times) {
  const std::string path = std::string("/proc/") + pid + "/stat";
  FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return false;  // the process has ended meanwhile
  std::string text(1024, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  const std::size_t name_end = text.rfind(')');
  unsigned long user = 0;
  unsigned long system = 0;
  long children_user = 0;
  long children_system = 0;
  if (name_end == std::string::npos ||
      std::sscanf(text.c_str() + name_end + 1,
                  " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &times.parent,
                  &user, &system, &children_user, &children_system) != 5)
    return false;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  times.seconds = static_cast<double>(user + system) / ticks;
  times.ended_children = static_cast<double>(children_user + children_system) / ticks;
  return true;
}

std::map<int, ProcessTimes> all_processes() {
  std::map<int, ProcessTimes> processes;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return processes;
  while (const dirent* entry = readdir(folder)) {
    ProcessTimes times;
    if (const int pid = std::atoi(entry->d_name); pid > 0 && read_times(entry->d_name, times))
      processes[pid] = times;
  }
  closedir(folder);
  return processes;
}

/// A process and its descendants.
std::set<int> family_of(int process, const std::map<int, ProcessTimes>& processes) {
  std::set<int> family = {process};
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& [pid, times] : processes)
      if (family.contains(times.parent)) grows |= family.insert(pid).second;
  }
  return family;
}

/// Memory shared by the tests and their watcher. The tests write a name and increment `count`
/// before and after: an odd count means that a test runs.
struct Notice {
  std::atomic<unsigned> count{0};
  std::array<char, 500> name{};
};

class TestNames final : public ::testing::EmptyTestEventListener {
 public:
  explicit TestNames(Notice* notice) : notice_(notice) {}

 private:
  void OnTestStart(const ::testing::TestInfo& test) override {
    std::snprintf(notice_->name.data(), notice_->name.size(), "%s.%s", test.test_suite_name(),
                  test.name());
    notice_->count.fetch_add(1);
  }
  void OnTestEnd(const ::testing::TestInfo& /*test*/) override { notice_->count.fetch_add(1); }

  Notice* notice_;
};

class Watcher {
 public:
  Watcher(int process, const Notice* notice, TestLimits limits)
      : process_(process), notice_(notice), limits_(limits) {}

  /// Runs until `tests_ended` becomes readable, which is when its other end has been closed by all
  /// processes.
  void watch(int tests_ended) {
    const double least = std::min(limits_.processor_seconds, limits_.idle_seconds);
    const auto period = static_cast<int>(1000 * std::clamp(least / 10, 0.05, 1.0));
    pollfd end{.fd = tests_ended, .events = POLLIN, .revents = 0};
    while (poll(&end, 1, period) == 0 && kill(process_, 0) == 0) look();
  }

 private:
  void look() {
    const unsigned count = notice_->count.load();
    const double seconds = processor_seconds_of(process_);
    if (count != count_) {
      count_ = count;
      first_seconds_ = seconds;
      note_progress(seconds);
    }
    if (count % 2 == 0) return;
    if (seconds - first_seconds_ > limits_.processor_seconds)
      end_tests("seconds of processor time", limits_.processor_seconds);
    if (seconds - last_seconds_ > 0.02) note_progress(seconds);
    const std::chrono::duration<double> idle = Clock::now() - last_progress_;
    if (idle.count() > limits_.idle_seconds)
      end_tests("seconds in which nothing was computed", limits_.idle_seconds);
  }

  void note_progress(double seconds) {
    last_seconds_ = seconds;
    last_progress_ = Clock::now();
  }

  [[noreturn]] void end_tests(const char* what, double limit) const {
    std::fprintf(stderr, "[  FAILED  ] %s did not end within %g %s\n", notice_->name.data(), limit,
                 what);
    std::fflush(stderr);
    for (const int pid : family_of(process_, all_processes())) kill(pid, SIGKILL);
    _exit(0);
  }

  int process_;
  const Notice* notice_;
  TestLimits limits_;
  unsigned count_ = 0;
  double first_seconds_ = 0;
  double last_seconds_ = 0;
  Clock::time_point last_progress_ = Clock::now();
};

}  // namespace

TestLimits test_limits() {
  const char* wanted = std::getenv("CISOLVE_TEST_LIMIT");
  const double seconds = wanted == nullptr ? unless_sanitized(240.0, 720.0) : std::atof(wanted);
  return {seconds, std::min(seconds, unless_sanitized(60.0, 120.0))};
}

double processor_seconds_of(int process) {
  std::map<int, ProcessTimes> processes = all_processes();
  double sum = 0;
  for (const int pid : family_of(process, processes))
    sum += processes[pid].seconds + processes[pid].ended_children;
  return sum;
}

void watch_tests(TestLimits limits) {
  void* shared =
      mmap(nullptr, sizeof(Notice), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  std::array<int, 2> ends{};
  if (shared == MAP_FAILED || pipe2(ends.data(), O_CLOEXEC) != 0) {
    std::perror("tests run without limits");
    return;
  }
  auto* notice = new (shared) Notice;
  const int tests = getpid();
  // The watcher is a grandchild: a test that waits for any child must not reap it.
  const int child = fork();
  if (child == 0) {
    if (fork() != 0) _exit(0);
    close(ends[1]);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    signal(SIGINT,
           SIG_IGN);  // a keyboard interrupt ends the tests, and thereby the watcher
    Watcher(tests, notice, limits).watch(ends[0]);
    _exit(0);
  }
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  ::testing::UnitTest::GetInstance()->listeners().Append(new TestNames(notice));  // takes ownership
}

const char* tests_registered_twice() {
  static const std::string names = [] {
    std::string found;
    std::set<std::string> seen;
    const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
      const ::testing::TestSuite& suite = *all.GetTestSuite(i);
      for (int j = 0; j < suite.total_test_count(); ++j) {
        const std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(j)->name();
        if (!seen.insert(name).second) found += (found.empty() ? "" : " ") + name;
      }
    }
    return found;
  }();
  return names.c_str();
}

}  // namespace cisolve::test
