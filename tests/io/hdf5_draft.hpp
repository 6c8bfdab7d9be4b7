#pragma once

#include <hdf5.h>

#include <functional>

#include "tests/io/support.hpp"

namespace cisolve::test {

/// A file by the schema, any part of which a test may change before it is written.
struct Draft {
  std::string format = "ci-solve matrix";
  std::map<std::string, Index> root{{"schema", 1}};
  std::map<std::string, Index> attributes{
      {"rows", 3}, {"columns_count", 3}, {"symmetric", 1}, {"reference_columns", 1}};
  std::vector<Index> offsets{0, 2, 4, 5};
  std::vector<int> columns{0, 1, 0, 1, 2};
  std::vector<double> values{1, 0.5, 0.5, 2, 3};
  hid_t offsets_type = H5T_STD_I64LE;
  hid_t columns_type = H5T_STD_I32LE;
  hid_t values_type = H5T_IEEE_F64LE;
  /// Sets the creation properties of the values.
  std::function<void(hid_t creation)> shape_values = [](hid_t) {};
  std::function<void(hid_t group)> add = [](hid_t) {};  // afterwards
};

inline void write_attribute(hid_t object, const std::string& name, Index value) {
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute =
      H5Acreate2(object, name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, H5T_NATIVE_INT64, &value);
  H5Aclose(attribute);
  H5Sclose(space);
}

inline void write_text(hid_t object, const std::string& name, const std::string& value) {
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, value.size());
  const hid_t attribute = H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, value.data());
  H5Aclose(attribute);
  H5Tclose(type);
  H5Sclose(space);
}

/// Writes a boolean as NumPy does; HDF5 has no boolean type.
inline void write_bool(hid_t object, const std::string& name, bool value) {
  const hid_t type = H5Tenum_create(H5T_STD_I8LE);
  for (const auto& [word, number] : std::map<std::string, signed char>{{"FALSE", 0}, {"TRUE", 1}})
    H5Tenum_insert(type, word.c_str(), &number);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
  const signed char stored = value ? 1 : 0;
  H5Awrite(attribute, type, &stored);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

/// A variable-length text attribute of the object at `path` from `from`.
inline void write_variable_text(hid_t from, const char* path, const char* name, const char* value) {
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  const hid_t attribute =
      H5Acreate_by_name(from, path, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, static_cast<const void*>(&value));
  H5Aclose(attribute);
  H5Tclose(type);
  H5Sclose(space);
}

inline void write_list(hid_t group, const char* name, hid_t stored, hid_t held, const void* data,
                       Index size, hid_t creation = H5P_DEFAULT) {
  const auto extent = static_cast<hsize_t>(size);
  const hid_t space = H5Screate_simple(1, &extent, nullptr);
  const hid_t set = H5Dcreate2(group, name, stored, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  H5Dwrite(set, held, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(set);
  H5Sclose(space);
}

inline void write(const Draft& draft, const std::filesystem::path& path) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  if (!draft.format.empty()) write_text(file, "format", draft.format);
  for (const auto& [name, value] : draft.root) write_attribute(file, name, value);
  const hid_t group = H5Gcreate2(file, "matrix", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (const auto& [name, value] : draft.attributes) write_attribute(group, name, value);
  write_list(group, "row_offsets", draft.offsets_type, H5T_NATIVE_INT64, draft.offsets.data(),
             std::ssize(draft.offsets));
  write_list(group, "columns", draft.columns_type, H5T_NATIVE_INT, draft.columns.data(),
             std::ssize(draft.columns));
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  draft.shape_values(creation);
  write_list(group, "values", draft.values_type, H5T_NATIVE_DOUBLE, draft.values.data(),
             std::ssize(draft.values), creation);
  H5Pclose(creation);
  draft.add(group);
  H5Gclose(group);
  H5Fclose(file);
}

}  // namespace cisolve::test
