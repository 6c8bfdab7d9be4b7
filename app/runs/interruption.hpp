#pragma once

namespace cisolve::app {

/// Installs handlers that remove partial files before a signal ends the program. Signals ignored at
/// this point stay ignored, here and by an Interruption.
void end_clean_at_signals();

/// During its lifetime, exit(1) called by a library, as by OpenMP if it cannot start a thread, ends
/// the process with the code for lack of resources (71) and removes partial files.
class ExitByLibrary {
 public:
  ExitByLibrary();
  ExitByLibrary(const ExitByLibrary&) = delete;
  ExitByLibrary& operator=(const ExitByLibrary&) = delete;
  ~ExitByLibrary();
};

/// During its lifetime, SIGINT and SIGTERM end the program with the exit code of an interrupted job
/// that can be resumed: at once, or, between accept() and refuse(), after the job has seen
/// requested() and saved its state. A second signal always ends it at once. After close() signals
/// are ignored, since the results are on disk. A worker rank leaves the first signal to rank 0.
/// Only one instance at a time.
class Interruption {
 public:
  explicit Interruption(bool leads = true);
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  static void accept();
  static void refuse();
  static bool requested();
  static void close();
};

}  // namespace cisolve::app
