#pragma once

#include <string>

#include "io/hdf5/context.hpp"

// Attributes with one value.
namespace cisolve::io::hdf5 {

void write_attribute(const FileContext& context, hid_t object, const char* name, Index value);
void write_attribute(const FileContext& context, hid_t object, const char* name, double value);
void write_attribute(const FileContext& context, hid_t object, const char* name,
                     std::string_view value);

/// `where` names the object in messages. Throws ErrorKind::bad_input for an attribute that is
/// missing, of another type or with more than one value.
Index read_integer(const FileContext& context, hid_t object, const char* name,
                   std::string_view where);
double read_real(const FileContext& context, hid_t object, const char* name,
                 std::string_view where);
std::string read_text(const FileContext& context, hid_t object, const char* name,
                      std::string_view where);

/// Throws unless the attributes "format" and "schema" have these values.
void require_schema(const FileContext& context, hid_t file, std::string_view format, Index version);

}  // namespace cisolve::io::hdf5
