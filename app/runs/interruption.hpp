#pragma once

namespace cisolve::app {

/// From here on a signal that ends the program leaves no file behind that is not whole. A signal
/// that is ignored by now stays ignored, here and by an Interruption.
void end_clean_at_signals();

/// While it lives, a library that ends the process by exit(1), as OpenMP's does where it cannot
/// start a thread, ends it as what lacks memory does (71), and leaves no file behind that is not
/// whole.
class ExitByLibrary {
 public:
  ExitByLibrary();
  ExitByLibrary(const ExitByLibrary&) = delete;
  ExitByLibrary& operator=(const ExitByLibrary&) = delete;
  ~ExitByLibrary();
};

/// While it lives, SIGINT and SIGTERM end the program with the exit code of an interrupted job that
/// can be resumed: at once, or, between accept() and refuse(), when the job has seen requested()
/// and saved its state. A second signal ends it at once in either case. After close() they end it
/// no more: the result is on the disk, and what is left is to say so. A rank that follows another
/// one leaves a first signal to that at any time. One at a time.
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
