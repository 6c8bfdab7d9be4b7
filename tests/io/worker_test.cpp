#include "io/files/worker.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <numeric>

#include "tests/io/support.hpp"

namespace cisolve {
namespace {

using base::ErrorKind;
using io::Worker;
using io::WorkerOutput;
using test::Index;

constexpr Index kMemory = Index{1} << 28;

TEST(Worker, SendsWhatItReads) {
  std::vector<Index> numbers(1 << 20);
  std::iota(numbers.begin(), numbers.end(), 5);
  Worker worker("numbers", kMemory, [&](const WorkerOutput& output) {
    output.send(std::ssize(numbers));
    output.send(std::span<const Index>(numbers));
    output.send(std::span<const Index>());
    output.send('z');
  });
  std::vector<Index> received(worker.receive<Index>());
  worker.receive(std::span(received).first(1000));  // messages may be taken in other pieces
  worker.receive(std::span(received).subspan(1000));
  EXPECT_EQ(received, numbers);
  EXPECT_EQ(worker.receive<char>(), 'z');
}

TEST(Worker, ForwardsItsErrors) {
  Worker worker("a file", kMemory, [](const WorkerOutput& output) {
    output.send(1);
    base::fail(ErrorKind::cannot_write, "the reason");
  });
  EXPECT_EQ(worker.receive<int>(), 1);
  test::expect_failure([&] { worker.receive<int>(); }, ErrorKind::cannot_write, "the reason");
}

TEST(Worker, ReportsACrashAsADamagedFile) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGKILL}) {
    Worker worker("x.h5", kMemory, [&](const WorkerOutput&) { std::raise(signal); });
    test::expect_failure([&] { worker.receive<int>(); }, ErrorKind::bad_input,
                         "reading the file crashed");
  }
}

TEST(Worker, ReportsASilentEnd) {
  Worker worker("x.h5", kMemory, [](const WorkerOutput&) { ::_exit(0); });
  test::expect_failure([&] { worker.receive<int>(); }, ErrorKind::bad_input,
                       "stopped before its end");
}

TEST(Worker, ReportsAStepWithoutEnd) {
  Worker worker("x.h5", kMemory, [](const WorkerOutput&) { std::raise(SIGXCPU); });
  test::expect_failure([&] { worker.receive<int>(); }, ErrorKind::bad_input, "does not end");
}

/// It uses no processor time, so a limit on that does not end it.
TEST(Worker, ThatWaitsForEverIsEndedByTheClock) {
  pid_t process = 0;
  {
    Worker worker(
        "x.h5", kMemory,
        [](const WorkerOutput& output) {
          output.send(::getpid());
          for (;;) ::pause();
        },
        std::chrono::milliseconds(200));
    process = worker.receive<pid_t>();
    test::expect_failure([&] { worker.receive<int>(); }, ErrorKind::resources,
                         "x.h5: reading the file has made no progress for 1 s");
  }
  EXPECT_NE(::kill(process, 0), 0);
}

TEST(Worker, ThatReportsProgressIsNotEnded) {
  Worker worker(
      "x.h5", kMemory,
      [](const WorkerOutput& output) {
        for (int i = 0; i < 8; ++i) {
          ::usleep(100'000);
          output.send(i);
        }
      },
      std::chrono::milliseconds(500));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(worker.receive<int>(), i);
}

TEST(Worker, ThatClosesItsPipeButKeepsRunningIsEnded) {
  Worker worker(
      "x.h5", kMemory,
      [](const WorkerOutput&) {
        for (int pipe = 3; pipe < 1024; ++pipe) ::close(pipe);
        for (;;) ::pause();
      },
      std::chrono::milliseconds(200));
  test::expect_failure([&] { worker.receive<int>(); }, ErrorKind::bad_input,
                       "x.h5: reading the file ");
}

/// A sanitizer ends the worker instead of letting operator new throw: another message, the same
/// error kind.
TEST(Worker, CannotExceedItsMemoryLimit) {
  Worker worker("x.h5", kMemory, [](const WorkerOutput&) {
    const std::vector<char> large(2 * kMemory, 'x');
    base::fail(ErrorKind::internal, "allocated ", large.size(), large[kMemory]);
  });
  test::expect_failure([&] { worker.receive<int>(); }, ErrorKind::bad_input,
                       "x.h5: reading the file ");
}

TEST(Worker, IsEndedWithItsReader) {
  pid_t process = 0;
  {
    Worker worker("x.h5", kMemory, [](const WorkerOutput& output) {
      output.send(::getpid());
      for (;;) ::pause();
    });
    process = worker.receive<pid_t>();
    EXPECT_EQ(::kill(process, 0), 0);
  }
  EXPECT_NE(::kill(process, 0), 0);
}

}  // namespace
}  // namespace cisolve
