#pragma once

#include <string>

#include "io/hdf5/context.hpp"

// Attributes that hold one value.
namespace cisolve::io::hdf5 {

void write_attribute(const FileContext& context, hid_t object, const char* name, Index value);
void write_attribute(const FileContext& context, hid_t object, const char* name, double value);
void write_attribute(const FileContext& context, hid_t object, const char* name,
                     std::string_view value);

/// `where` names the object in messages. A missing attribute, one of another type or one with more
/// than one value is Fault::bad_input.
Index read_integer(const FileContext& context, hid_t object, const char* name,
                   std::string_view where);
double read_real(const FileContext& context, hid_t object, const char* name,
                 std::string_view where);
std::string read_text(const FileContext& context, hid_t object, const char* name,
                      std::string_view where);

/// Refuses a file whose attributes "format" and "schema" are not these.
void require_schema(const FileContext& context, hid_t file, std::string_view format, Index version);

}  // namespace cisolve::io::hdf5
