#include "app/cli/streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "base/error.hpp"

namespace cisolve::app {
namespace {

bool reader_has_left() {
  pollfd request{STDOUT_FILENO, POLLOUT, 0};
  return poll(&request, 1, 0) == 1 && (request.revents & POLLERR) != 0;
}

}  // namespace

bool is_standard_output(std::string_view name) {
  return name == "-" || name == "/dev/stdout" || name == "/dev/fd/1" || name == "/proc/self/fd/1";
}

void prepare_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1) (void)open("/dev/null", O_RDWR);  // takes the lowest free one
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file too large for a limit fails to be written instead
}

void finish_output() {
  std::cout.flush();
  if (std::cout.good() || reader_has_left()) return;
  base::fail(base::ErrorKind::cannot_write,
             "cannot write the results to standard output; check whether the disk is full");
}

}  // namespace cisolve::app
