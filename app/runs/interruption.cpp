#include "app/runs/interruption.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "app/report/exit_code.hpp"
#include "io/files/unfinished.hpp"

namespace cisolve::app {
namespace {

// State that signal handlers use.
volatile std::sig_atomic_t accepts = 0;
volatile std::sig_atomic_t asked = 0;

bool closed = false;

void write_message(std::string_view words) {
  static_cast<void>(!write(STDERR_FILENO, words.data(), words.size()));
}

void on_signal(int /*signal*/) {
  if (accepts == 0 || asked != 0) {
    io::remove_unfinished();
    write_message(
        "\nci-solve: interrupted; 'ci-solve resume' with the output folder continues from the last "
        "checkpoint, or starts again if there is none\n");
    _exit(static_cast<int>(ExitCode::interrupted));
  }
  asked = 1;
}

// Handler of worker ranks: rank 0 ends all ranks collectively.
void on_signal_to_follower(int signal) {
  if (asked != 0) on_signal(signal);
  asked = 1;
}

/// Handler while no job can be resumed: removes partial files, then lets the default action end the
/// program.
void on_signal_to_others(int signal) {
  io::remove_unfinished();
  write_message("\nci-solve: interrupted\n");
  std::signal(signal, SIG_DFL);
  raise(signal);  // delivered when this returns
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// The signals that end a job. Signals ignored at the start stay ignored: Ctrl-C in the foreground
/// must not end background jobs of a script.
const std::vector<int>& handled_signals() {
  static const std::vector<int> handled = [] {
    std::vector<int> signals{SIGINT, SIGTERM};
    std::erase_if(signals, is_ignored);
    return signals;
  }();
  return handled;
}

void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : handled_signals()) sigaction(signal, &action, nullptr);
}

bool ends_by_itself = true;

void on_exit_by_library(int status, void* /*unused*/) {
  if (ends_by_itself || status != EXIT_FAILURE) return;
  io::remove_unfinished();
  write_message(
      "ci-solve: error: a library has ended the program, as OpenMP's does if it cannot start a "
      "thread; use fewer threads (threads, or OMP_NUM_THREADS), or raise the limits of "
      "processes "
      "(ulimit -u) and of address space (ulimit -v)\n");
  _exit(static_cast<int>(ExitCode::resources));
}

}  // namespace

ExitByLibrary::ExitByLibrary() {
  ends_by_itself = false;
  static const bool is_registered = on_exit(on_exit_by_library, nullptr) == 0;
  static_cast<void>(is_registered);
}

ExitByLibrary::~ExitByLibrary() { ends_by_itself = true; }

void end_clean_at_signals() { handle(on_signal_to_others); }

Interruption::Interruption(bool leads) {
  accepts = 0;
  asked = 0;
  closed = false;
  handle(leads ? on_signal : on_signal_to_follower);
}

Interruption::~Interruption() {
  if (!closed) handle(on_signal_to_others);
}

void Interruption::close() {
  closed = true;
  handle(SIG_IGN);
}

void Interruption::accept() { accepts = 1; }
void Interruption::refuse() { accepts = 0; }
bool Interruption::requested() { return asked != 0; }

}  // namespace cisolve::app
