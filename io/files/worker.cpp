#include "io/files/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <new>
#include <thread>

#include "base/budget.hpp"
#include "base/error.hpp"

namespace cisolve::io {
namespace {

using base::ErrorKind;
using base::fail;

constexpr rlim_t kSecondsPerStep = 60;
constexpr Index kLongestMessage = 1 << 16;
constexpr std::chrono::milliseconds kLongestEnd = std::chrono::seconds(10);

/// Precedes every message.
struct MessageHeader {
  Index kind;  // kData, or the fault of an error whose text follows
  Index bytes;
};
constexpr Index kData = -1;

/// Exits if the parent no longer reads.
void write_all(int pipe, const void* data, Index bytes) {
  for (const char* at = static_cast<const char*>(data); bytes > 0;) {
    const auto written = ::write(pipe, at, bytes);
    if (written < 0 && errno != EINTR) ::_exit(1);
    at += std::max<Index>(written, 0);
    bytes -= std::max<Index>(written, 0);
  }
}

void limit(__rlimit_resource resource, rlim_t most) {
  rlimit limits{};
  ::getrlimit(resource, &limits);
  limits.rlim_cur = std::min(most, limits.rlim_max);
  ::setrlimit(resource, &limits);
}

Index bytes_of_address_space() {
  Index pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

/// The worker ignores interrupts (the parent handles them), dies silently of any other signal, and
/// never outlives its parent.
void become_worker(pid_t parent, Index memory) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGPIPE})
    std::signal(signal, SIG_DFL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  if (const int null = ::open("/dev/null", O_WRONLY); null >= 0) ::dup2(null, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, static_cast<rlim_t>(bytes_of_address_space() + memory));
}

}  // namespace

void WorkerOutput::begin_step() const {
  limit(RLIMIT_CPU, static_cast<rlim_t>(std::clock() / CLOCKS_PER_SEC) + kSecondsPerStep);
}

void WorkerOutput::send_bytes(const void* data, Index bytes) const {
  send_message(kData, data, bytes);
}

void WorkerOutput::send_message(Index kind, const void* data, Index bytes) const {
  const MessageHeader header{kind, bytes};
  write_all(pipe_, &header, sizeof header);
  write_all(pipe_, data, bytes);
}

Worker::Worker(std::string reading, Index memory,
               const std::function<void(const WorkerOutput&)>& work,
               std::chrono::milliseconds patience)
    : reading_(std::move(reading)),
      patience_(patience),
      is_limited_(base::address_space_limit().has_value()) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    fail(ErrorKind::resources, "cannot create a pipe to read ", reading_, ": ",
         base::system_reason(errno));
  ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // fewer context switches, if permitted
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) {
    ::close(ends[0]);
    become_worker(parent, memory);
    run(work, WorkerOutput(ends[1]));
    ::_exit(0);
  }
  const int error = errno;
  ::close(ends[1]);
  pipe_ = ends[0];
  if (process_ > 0) return;
  ::close(pipe_);
  fail(ErrorKind::resources, "cannot start a process to read ", reading_, ": ",
       base::system_reason(error));
}

void Worker::run(const std::function<void(const WorkerOutput&)>& work, const WorkerOutput& output) {
  const auto report = [&output](ErrorKind fault, std::string_view message) {
    const auto length = std::min(std::ssize(message), kLongestMessage);
    output.send_message(static_cast<Index>(fault), message.data(), length);
  };
  try {
    output.begin_step();
    work(output);
  } catch (const base::Error& error) {
    report(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    if (is_limited_)
      return report(
          ErrorKind::resources,
          reading_ +
              ": memory does not suffice to read the file, since address space is limited; "
              "raise the limit (ulimit -v)");
    report(ErrorKind::bad_input, reading_ +
                                     ": reading the file takes more memory than an undamaged file "
                                     "would; expected an undamaged file");
  } catch (const std::exception& error) {
    report(ErrorKind::internal, error.what());
  }
}

Worker::~Worker() {
  ::close(pipe_);
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Worker::wait() const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + patience_;
  pollfd readable{pipe_, POLLIN, 0};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    const int found = ::poll(&readable, 1, static_cast<int>(std::max<Index>(0, left.count())));
    if (found > 0) return;
    if (found == 0)
      fail(ErrorKind::resources, reading_, ": reading the file has made no progress for ",
           std::chrono::ceil<std::chrono::seconds>(patience_).count(),
           " s; check the file system, or copy the file to a local disk");
    if (errno != EINTR)
      fail(ErrorKind::resources, "lost contact with the process that reads ", reading_, ": ",
           base::system_reason(errno));
  }
}

bool Worker::read_exactly(void* data, Index bytes) const {
  for (char* at = static_cast<char*>(data); bytes > 0;) {
    wait();
    const auto read = ::read(pipe_, at, bytes);
    if (read == 0 || (read < 0 && errno != EINTR)) return false;
    at += std::max<Index>(read, 0);
    bytes -= std::max<Index>(read, 0);
  }
  return true;
}

void Worker::receive_bytes(void* data, Index bytes) {
  for (char* at = static_cast<char*>(data); bytes > 0;) {
    if (left_in_message_ == 0) {
      MessageHeader header;
      if (!read_exactly(&header, sizeof header)) report_death();
      left_in_message_ = header.bytes;
      if (header.kind != kData) rethrow(header.kind);
    }
    const Index part = std::min(bytes, left_in_message_);
    if (!read_exactly(at, part)) report_death();
    at += part;
    bytes -= part;
    left_in_message_ -= part;
  }
}

void Worker::rethrow(Index fault) {
  std::string message(std::clamp<Index>(left_in_message_, 0, kLongestMessage), '\0');
  if (!read_exactly(message.data(), std::ssize(message))) report_death();
  if (fault > static_cast<Index>(ErrorKind::configuration))
    report_death();  // no value of this protocol
  throw base::Error(static_cast<ErrorKind>(fault), message);
}

int Worker::end_status() {
  using Clock = std::chrono::steady_clock;
  constexpr auto pause = std::chrono::milliseconds(1);
  const Clock::time_point end = Clock::now() + std::min(patience_, kLongestEnd);
  int status = 0;
  while (::waitpid(process_, &status, WNOHANG) == 0) {
    if (Clock::now() > end) ::kill(process_, SIGKILL);
    std::this_thread::sleep_for(pause);
  }
  process_ = -1;
  return status;
}

void Worker::report_death() {
  const int status = end_status();
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    fail(ErrorKind::bad_input, reading_,
         ": reading the file does not end; expected an undamaged file");
  // A library may crash if it gets no memory.
  if (WIFSIGNALED(status) && is_limited_)
    fail(ErrorKind::resources, reading_, ": reading the file crashed (",
         strsignal(WTERMSIG(status)),
         ") with limited address space; raise the limit (ulimit -v): if it "
         "crashes "
         "again, the file is damaged");
  if (WIFSIGNALED(status))
    fail(ErrorKind::bad_input, reading_, ": reading the file crashed (",
         strsignal(WTERMSIG(status)), "); expected an undamaged file");
  fail(ErrorKind::bad_input, reading_,
       ": reading the file stopped before its end; expected an undamaged file");
}

}  // namespace cisolve::io
