#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

// Runs the real executable, as a user would.
namespace cisolve::test {

/// Full-CI energy of tests/data/h2o_sto3g.fcidump by PySCF, from tests/data/references.json.
inline constexpr double kWaterFci = -75.01257824109203;

struct Finished {
  int code = -1;  // exit code, or minus the signal that ended the program
  std::string out;
  std::string err;
  double seconds = 0;
  double cpu_seconds = 0;
  long peak_kib = 0;
};

/// A signal sent some time after the start, or as soon as a file exists.
struct Interrupt {
  int signal = 0;
  std::chrono::duration<double> after{};
  std::filesystem::path once = {};
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Simulates another job at work in a folder.
class RunningJob {
 public:
  explicit RunningJob(const std::filesystem::path& folder)
      : folder_(open(folder.c_str(), O_RDONLY | O_CLOEXEC)) {
    EXPECT_EQ(flock(folder_, LOCK_EX | LOCK_NB), 0) << folder;
  }
  RunningJob(const RunningJob&) = delete;
  RunningJob& operator=(const RunningJob&) = delete;
  ~RunningJob() { close(folder_); }

 private:
  int folder_;
};

/// Each test has a folder of its own, in which the program runs.
class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("ci-solve-test-") + test->name() + "-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  static std::string configuration(const std::string& name) {
    return std::string(CISOLVE_CONFIGS) + "/" + name;
  }

  static constexpr const char* kClosed = "closed";
  static constexpr const char* kNoReader = "a pipe that nobody reads";

  /// `out` may name a file or a device that is to be standard output, or be one of those two.
  Finished run(std::vector<std::string> arguments, const std::string& out = "",
               const Interrupt& interrupt = {}) const {
    const auto out_path = out.empty() ? file("stdout.txt").string() : out;
    const auto err_path = file("stderr.txt").string();
    for (const char* name : {"stdout.txt", "stderr.txt"})  // a signal may come before they are new
      std::filesystem::remove(file(name));
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) start_program(std::move(arguments), out_path, err_path);
    if (interrupt.signal != 0) {
      std::this_thread::sleep_for(interrupt.after);
      if (!interrupt.once.empty()) wait_for(interrupt.once, child);
      kill(child, interrupt.signal);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    Finished finished;
    finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    finished.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    finished.cpu_seconds =
        static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
        1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    finished.peak_kib = usage.ru_maxrss;
    if (out.empty()) finished.out = read_file(out_path);
    finished.err = read_file(err_path);
    return finished;
  }

  /// Another executable than the program itself.
  void use_program(std::string path) { program_ = std::move(path); }

  /// Executes the program in the test's folder; called in a child process.
  [[noreturn]] void start_program(std::vector<std::string> arguments) const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that ends first leaves no process behind
    if (chdir(folder_.c_str()) != 0) _exit(127);
    arguments.insert(arguments.begin(), program_);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    execv(argv.front(), argv.data());
    _exit(127);
  }

 private:
  // Or until the child has ended; it is not reaped here.
  static void wait_for(const std::filesystem::path& path, pid_t child) {
    siginfo_t ended{};
    while (!std::filesystem::exists(path) && ended.si_pid == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      waitid(P_PID, child, &ended, WEXITED | WNOHANG | WNOWAIT);
    }
  }

  [[noreturn]] void start_program(std::vector<std::string> arguments, const std::string& out,
                                  const std::string& err) const {
    // Closed first, since a file opened later would get the descriptor of standard output.
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
    if (out == kClosed) {
      close(STDOUT_FILENO);
    } else if (out == kNoReader) {
      int ends[2];
      if (pipe(ends) != 0) _exit(127);
      close(ends[0]);
      dup2(ends[1], STDOUT_FILENO);
    } else {
      dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    }
    start_program(std::move(arguments));
  }

  std::filesystem::path folder_;
  std::string program_ = CISOLVE_PROGRAM;
};

}  // namespace cisolve::test
