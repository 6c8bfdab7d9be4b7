#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <span>
#include <string>

#include "base/types.hpp"

namespace cisolve::io {

using base::Index;

/// The worker's end of the pipe.
class WorkerOutput {
 public:
  explicit WorkerOutput(int pipe) : pipe_(pipe) {}

  template <class T>
  void send(std::span<const T> values) const {
    send_bytes(values.data(), std::ssize(values) * Index{sizeof(T)});
  }
  template <class T>
  void send(const T& value) const {
    send_bytes(&value, sizeof(T));
  }

  /// Must be called at each step: a step may take one minute of processor time.
  void begin_step() const;

 private:
  friend class Worker;
  void send_bytes(const void* data, Index bytes) const;
  void send_message(Index kind, const void* data, Index bytes) const;

  int pipe_;
};

/// Memory for reading a file, besides its contents.
inline constexpr Index kWorkerMemory = Index{1} << 30;

/// Maximum silence of a worker in wall time. A worker blocked by a file system or by a lock
/// inherited at the fork uses no processor time. Five times the limit of a step.
inline constexpr std::chrono::milliseconds kWorkerPatience = std::chrono::minutes(5);

/// Runs code that a hostile file may crash or hang, such as a library that trusts its input, in a
/// process of its own. The parent receives its data and rethrows its base::Error; a crash or an
/// endless step is ErrorKind::bad_input for the file; silence beyond `patience` is
/// ErrorKind::resources, since the file may not be the cause. The worker may use `memory` bytes
/// more than this process. It is forked: preferably while no other thread holds a lock.
class Worker {
 public:
  Worker(std::string reading, Index memory, const std::function<void(const WorkerOutput&)>& work,
         std::chrono::milliseconds patience = kWorkerPatience);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  template <class T>
  void receive(std::span<T> values) {
    receive_bytes(values.data(), std::ssize(values) * Index{sizeof(T)});
  }
  template <class T>
  T receive() {
    T value;
    receive_bytes(&value, sizeof(T));
    return value;
  }

 private:
  /// In the worker: runs `work` and reports errors as far as possible.
  void run(const std::function<void(const WorkerOutput&)>& work, const WorkerOutput& output);
  void receive_bytes(void* data, Index bytes);
  /// Returns false at the end of the pipe.
  bool read_exactly(void* data, Index bytes) const;
  [[noreturn]] void rethrow(Index fault);
  /// Blocks until data or the end of the pipe arrive.
  void wait() const;
  /// Exit status of the worker after its pipe has ended; kills it if it survives.
  int end_status();
  [[noreturn]] void report_death();

  std::string reading_;
  std::chrono::milliseconds patience_;
  bool is_limited_;  // RLIMIT_AS of this process is set
  pid_t process_ = -1;
  int pipe_ = -1;
  Index left_in_message_ = 0;
};

}  // namespace cisolve::io
