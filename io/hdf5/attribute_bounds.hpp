#pragma once

#include <string_view>

#include "io/hdf5/context.hpp"

namespace cisolve::io::hdf5 {

/// Refuses an object (ErrorKind::bad_input) if one of its attributes claims more bytes than its
/// message in the object header has. Only HDF5's first file format, which has no checksums, allows
/// that. HDF5 before 1.14 reads past the message then, and returns the bytes after it as the
/// attribute's value. The file is open for reading through the driver "sec2". `where` names the
/// object.
void require_attributes_fit_their_header(const FileContext& context, hid_t object,
                                         std::string_view where);

}  // namespace cisolve::io::hdf5
