#pragma once

#include <string_view>

#include "io/hdf5/context.hpp"

namespace cisolve::io::hdf5 {

/// Refuses, as ErrorKind::bad_input, an object of a file of HDF5's first format, which has no
/// checksums, one of whose attributes claims more bytes than its message in the object header has.
/// HDF5 before 1.14 reads past the message then, and gives what follows it as the attribute's
/// value. The file is open for reading through the driver "sec2". `where` names the object.
void require_attributes_within_messages(const FileContext& context, hid_t object,
                                        std::string_view where);

}  // namespace cisolve::io::hdf5
