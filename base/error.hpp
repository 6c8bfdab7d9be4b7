#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace cisolve::base {

/// What kind of fault ended a piece of work. The program maps each to one exit code.
enum class Fault {
  usage,          // a call or a command line that makes no sense
  bad_input,      // data that cannot be true
  no_input,       // a file that is not there
  backend,        // a backend that is not built or has no device
  internal,       // a defect of ours
  resources,      // memory (the budget included) or a device failed
  cannot_write,   // an output that cannot be written
  configuration,  // a configuration that says something impossible
};

/// The one exception type of the house: a kind, and a message that says what is wrong, what was
/// expected and, where there is one, the remedy. A NUL, which would end it, is written out in it.
class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& message);
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

/// Thrown by the stubs of a backend that this build leaves out.
class BackendNotBuilt : public Error {
 public:
  explicit BackendNotBuilt(std::string_view backend);
};

/// A device has not the memory that was asked of it, by its budget or in fact. Nothing was lost: a
/// smaller plan, or the host, may still do.
class DeviceMemoryError : public Error {
 public:
  explicit DeviceMemoryError(const std::string& message) : Error(Fault::resources, message) {}
};

/// What the system says of an errno.
std::string system_reason(int error);

template <class... Parts>
[[noreturn]] void fail(Fault fault, const Parts&... parts) {
  throw Error(fault, concat(parts...));
}

}  // namespace cisolve::base
