#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace cisolve::app {

/// Escapes a text for display: line breaks and tabs stay; every other control character and every
/// byte that is not UTF-8 becomes \xHH. Titles, keys and values from files thus cannot move the
/// cursor or change the terminal.
std::string printable(std::string_view text);

/// Escapes text with printable() and forwards it to another stream, line by line; flush() forwards
/// an incomplete line.
class PrintableStream : public std::ostream {
 public:
  explicit PrintableStream(std::ostream& shown);
  ~PrintableStream() override;

 private:
  class Lines;
  std::unique_ptr<Lines> lines_;
};

}  // namespace cisolve::app
