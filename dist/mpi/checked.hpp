#pragma once

#include <mpi.h>

#include <source_location>
#include <string_view>

#include "base/error.hpp"

namespace cisolve::dist {

/// Throws ErrorKind::resources with the call, its location and MPI's message unless it succeeded.
inline void checked(int result, std::string_view call,
                    const std::source_location& place = std::source_location::current()) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  const bool has_text = MPI_Error_string(result, text, &length) == MPI_SUCCESS;
  base::fail(base::ErrorKind::resources, call, " failed in ", place.file_name(), ":", place.line(),
             ": ", has_text ? std::string_view(text, length) : "an unknown error");
}

}  // namespace cisolve::dist
