#pragma once

#include <hdf5.h>

#include <source_location>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "io/hdf5/handle.hpp"

namespace cisolve::io::hdf5 {

using base::Index;

/// What is being done to which file: gives every failure its fault and its words.
struct FileContext {
  std::string file;
  base::Fault fault;        // of a call that fails
  std::string_view remedy;  // "expected an undamaged file"

  /// Passes the result of an HDF5 call on, or throws with the call, the object, HDF5's own reason
  /// and the place in our source. A file that cannot be locked is Fault::cannot_write.
  template <class Result>
  Result check(Result result, std::string_view call, std::string_view object,
               std::source_location place = std::source_location::current()) const {
    if (result < 0) refuse_call(call, object, place);
    return result;
  }

  Handle own(hid_t id, Handle::Close close, std::string_view call, std::string_view object,
             std::source_location place = std::source_location::current()) const {
    return Handle(check(id, call, object, place), close);
  }

  /// Throws Fault::bad_input for contents that cannot be true.
  template <class... Parts>
  [[noreturn]] void refuse(std::string_view object, const Parts&... parts) const {
    base::fail(base::Fault::bad_input, file, ": ", object, ": ", parts...);
  }

 private:
  [[noreturn]] void refuse_call(std::string_view call, std::string_view object,
                                const std::source_location& place) const;
};

}  // namespace cisolve::io::hdf5
