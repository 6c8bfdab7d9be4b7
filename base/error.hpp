#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace cisolve::base {

/// Kind of an error. The program maps each to an exit code.
enum class ErrorKind {
  usage,          // invalid call or command line
  bad_input,      // invalid data
  no_input,       // missing file
  backend,        // backend not built or without a device
  internal,       // internal error (bug)
  resources,      // memory, including the budget, or a failed device
  cannot_write,   // output that cannot be written
  configuration,  // invalid configuration
};

/// Base of all exceptions: a kind, and a message that says what is wrong, what was expected and, if
/// there is one, the remedy. A NUL in the message is escaped.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// Thrown by the stubs of a backend that this build leaves out.
class BackendNotBuilt : public Error {
 public:
  explicit BackendNotBuilt(std::string_view backend);
};

/// A device lacks memory, by its budget or in fact. Nothing is lost: a smaller plan, or the host,
/// may still work.
class DeviceMemoryError : public Error {
 public:
  explicit DeviceMemoryError(const std::string& message) : Error(ErrorKind::resources, message) {}
};

/// The system's message for an errno.
std::string system_reason(int error);

template <class... Parts>
[[noreturn]] void fail(ErrorKind kind, const Parts&... parts) {
  throw Error(kind, concat(parts...));
}

}  // namespace cisolve::base
