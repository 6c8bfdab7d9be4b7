#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <span>
#include <string>

#include "base/types.hpp"

namespace cisolve::io {

using base::Index;

/// The end of the pipe at which a worker speaks.
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

  /// To be called at each step: the worker is ended when the step takes a minute of processor time.
  void begin_step() const;

 private:
  friend class Worker;
  void send_bytes(const void* data, Index bytes) const;
  void send_message(Index kind, const void* data, Index bytes) const;

  int pipe_;
};

/// What reading a file may take beside what is read.
inline constexpr Index kWorkerMemory = Index{1} << 30;

/// How long a worker may say nothing, by the clock: one that waits, for a file system that does not
/// answer or for a lock that another thread held when it was made, uses no processor time. Five
/// times what a step may use.
inline constexpr std::chrono::milliseconds kWorkerPatience = std::chrono::minutes(5);

/// Runs code that a hostile file may crash or hang, such as a library that trusts what it reads, in
/// a process of its own. What the worker sends is received here; its base::Error is thrown here;
/// its death, or a step without end, is Fault::bad_input for the file it was reading; silence
/// beyond `patience` is Fault::resources, for it need not be the file's. Its memory is bounded: it
/// holds at most `memory` bytes beyond what this process has. It is a fork: best made while no
/// other thread of this process may hold a lock.
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
  /// In the worker: reports all that goes wrong, as far as that can be done.
  void run(const std::function<void(const WorkerOutput&)>& work, const WorkerOutput& output);
  void receive_bytes(void* data, Index bytes);
  /// Returns false where the pipe ends.
  bool read_exactly(void* data, Index bytes) const;
  [[noreturn]] void rethrow(Index fault);
  /// Until there is something to read, or the pipe ends.
  void wait() const;
  /// How the worker ended, whose pipe did; it is made to where it lives on.
  int end_status();
  [[noreturn]] void report_death();

  std::string reading_;
  std::chrono::milliseconds patience_;
  bool is_limited_;  // the address space of this process
  pid_t process_ = -1;
  int pipe_ = -1;
  Index left_in_message_ = 0;
};

}  // namespace cisolve::io
