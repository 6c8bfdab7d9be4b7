#pragma once

#include <hdf5.h>

#include <source_location>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "io/hdf5/handle.hpp"

namespace cisolve::io::hdf5 {

using base::Index;

/// File and operation of HDF5 calls, for their error messages and faults.
struct FileContext {
  std::string file;
  base::ErrorKind fault;    // kind of error that a failing call throws
  std::string_view remedy;  // such as "expected an undamaged file"

  /// Returns the result of an HDF5 call, or throws with the call, the object, HDF5's reason and the
  /// place in our source. Failure to lock the file is ErrorKind::cannot_write.
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

  /// Throws ErrorKind::bad_input for invalid contents.
  template <class... Parts>
  [[noreturn]] void refuse(std::string_view object, const Parts&... parts) const {
    base::fail(base::ErrorKind::bad_input, file, ": ", object, ": ", parts...);
  }

 private:
  [[noreturn]] void refuse_call(std::string_view call, std::string_view object,
                                const std::source_location& place) const;
};

}  // namespace cisolve::io::hdf5
