#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace cisolve::app {

/// A text as it may be shown: of its control characters it keeps line breaks and tabs; each other
/// one, and each byte that is no UTF-8, is written as \x1b. What a file has in its titles, keys and
/// values thus moves no cursor and changes no terminal.
std::string printable(std::string_view text);

/// Passes on to another stream what is printable of what is written: whole lines, and the rest when
/// it is flushed.
class PrintableStream : public std::ostream {
 public:
  explicit PrintableStream(std::ostream& shown);
  ~PrintableStream() override;

 private:
  class Lines;
  std::unique_ptr<Lines> lines_;
};

}  // namespace cisolve::app
