#include "io/hdf5/attributes.hpp"

#include <cmath>
#include <cstring>

#include "io/hdf5/attribute_bounds.hpp"

namespace cisolve::io::hdf5 {
namespace {

constexpr Index kLongestText = 4096;

Handle text_type(const FileContext& context, std::size_t bytes, const char* name) {
  Handle type = context.own(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy", name);
  context.check(H5Tset_size(type, bytes), "H5Tset_size", name);
  context.check(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad", name);
  context.check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset", name);
  return type;
}

void write(const FileContext& context, hid_t object, const char* name, hid_t stored, hid_t held,
           const void* value) {
  const Handle space = context.own(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate", name);
  const Handle attribute =
      context.own(H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                  "H5Acreate2", name);
  context.check(H5Awrite(attribute, held, value), "H5Awrite", name);
}

std::string path_of(std::string_view where, const char* name) {
  return base::concat("attribute ", name, " of ", where);
}

/// An open attribute of one value, and its type.
struct Scalar {
  Handle attribute;
  Handle type;
};

Scalar open_scalar(const FileContext& context, hid_t object, const char* name,
                   std::string_view where) {
  require_attributes_fit_their_header(context, object, where);
  const std::string what = path_of(where, name);
  if (context.check(H5Aexists(object, name), "H5Aexists", what) == 0)
    context.refuse(what, "the attribute is missing; ", context.remedy);
  Handle attribute = context.own(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "H5Aopen", what);
  Handle type = context.own(H5Aget_type(attribute), H5Tclose, "H5Aget_type", what);
  const Handle space = context.own(H5Aget_space(attribute), H5Sclose, "H5Aget_space", what);
  if (H5Sget_simple_extent_npoints(space) != 1)
    context.refuse(what, "the attribute does not hold exactly one value");
  return {std::move(attribute), std::move(type)};
}

std::string read_fixed_text(const FileContext& context, const Scalar& scalar,
                            const std::string& what) {
  const auto bytes = static_cast<Index>(H5Tget_size(scalar.type));
  if (bytes < 1 || bytes > kLongestText)
    context.refuse(what, "the text has ", bytes, " bytes; expected at most ", kLongestText);
  std::string value(bytes, '\0');
  context.check(H5Aread(scalar.attribute, scalar.type, value.data()), "H5Aread", what);
  value.resize(value.find_last_not_of('\0') + 1);
  return value;
}

std::string read_variable_text(const FileContext& context, const Scalar& scalar,
                               const std::string& what) {
  char* text = nullptr;
  context.check(H5Aread(scalar.attribute, scalar.type, static_cast<void*>(&text)), "H5Aread", what);
  if (text == nullptr) return {};
  std::string value(text, strnlen(text, kLongestText));
  context.check(H5free_memory(text), "H5free_memory", what);
  return value;
}

/// Requires integers without padding bits, as all writers produce: HDF5 would decode a damaged type
/// to another number.
bool is_whole_integer(hid_t type) {
  const auto kind = H5Tget_class(type);
  const std::size_t bytes = H5Tget_size(type);
  return (kind == H5T_INTEGER || kind == H5T_ENUM) &&  // booleans are stored as an enum
         bytes <= sizeof(Index) && H5Tget_precision(type) == 8 * bytes && H5Tget_offset(type) == 0;
}

/// Requires IEEE types, since HDF5 accepts any width and bias of an exponent.
bool is_ieee_real(hid_t type) {
  for (const hid_t known : {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE})
    if (H5Tequal(type, known) > 0) return true;
  return false;
}

}  // namespace

void write_attribute(const FileContext& context, hid_t object, const char* name, Index value) {
  write(context, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void write_attribute(const FileContext& context, hid_t object, const char* name, double value) {
  write(context, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void write_attribute(const FileContext& context, hid_t object, const char* name,
                     std::string_view value) {
  const Handle type = text_type(context, value.size(), name);
  write(context, object, name, type, type, value.data());
}

Index read_integer(const FileContext& context, hid_t object, const char* name,
                   std::string_view where) {
  const std::string what = path_of(where, name);
  const Scalar scalar = open_scalar(context, object, name, where);
  if (!is_whole_integer(scalar.type))
    context.refuse(what, "the attribute has a wrong type; expected an integer of up to 64 bits");
  Index value = 0;
  context.check(H5Aread(scalar.attribute, H5T_NATIVE_INT64, &value), "H5Aread", what);
  return value;
}

double read_real(const FileContext& context, hid_t object, const char* name,
                 std::string_view where) {
  const std::string what = path_of(where, name);
  const Scalar scalar = open_scalar(context, object, name, where);
  if (!is_ieee_real(scalar.type))
    context.refuse(what, "the attribute has a wrong type; expected a real number of 32 or 64 bits");
  double value = 0;
  context.check(H5Aread(scalar.attribute, H5T_NATIVE_DOUBLE, &value), "H5Aread", what);
  if (!std::isfinite(value)) context.refuse(what, "the value is not a finite number");
  return value;
}

std::string read_text(const FileContext& context, hid_t object, const char* name,
                      std::string_view where) {
  const std::string what = path_of(where, name);
  const Scalar scalar = open_scalar(context, object, name, where);
  if (H5Tget_class(scalar.type) != H5T_STRING)
    context.refuse(what, "the attribute has a wrong type; expected a text");
  return H5Tis_variable_str(scalar.type) > 0 ? read_variable_text(context, scalar, what)
                                             : read_fixed_text(context, scalar, what);
}

void require_schema(const FileContext& context, hid_t file, std::string_view format,
                    Index version) {
  const std::string its_format = read_text(context, file, "format", "/");
  if (its_format != format)
    context.refuse("/", "the format is '", its_format, "'; expected '", format, "'");
  const Index its_version = read_integer(context, file, "schema", "/");
  if (its_version != version)
    context.refuse("/", "the schema version is ", its_version, ", but this program reads version ",
                   version);
}

}  // namespace cisolve::io::hdf5
