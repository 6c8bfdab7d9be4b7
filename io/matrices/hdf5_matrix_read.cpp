#include <cmath>
#include <functional>
#include <initializer_list>

#include "base/error.hpp"
#include "base/loops.hpp"
#include "io/files/mapped_file.hpp"
#include "io/files/worker.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_reader.hpp"
#include "io/matrices/hdf5_matrix.hpp"
#include "io/matrices/hdf5_matrix_schema.hpp"
#include "sparse/formats/symmetry.hpp"

namespace cisolve::io {
namespace {

using base::Column;
using hdf5::FileContext;

constexpr Index kRowsPerChunk = 1024;

/// Sent by the worker before the arrays.
struct Extent {
  sparse::MatrixShape shape;
  Index nonzeros;
};

// ---- in the worker ----

constexpr Index kMostNamesShown = 8;

herr_t take_name(hid_t /*group*/, const char* name, const H5L_info_t* /*link*/, void* data) {
  auto& names = *static_cast<std::vector<std::string>*>(data);
  names.emplace_back(std::string_view(name).substr(0, 40));
  return std::ssize(names) == kMostNamesShown ? 1 : 0;
}

/// Names of a file's objects, for the message about an unknown layout.
std::string contents_of(const FileContext& context, hid_t file) {
  std::vector<std::string> names;
  hsize_t next = 0;
  context.check(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, &next, take_name, &names),
                "H5Literate", "/");
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? " holds " : ", ") + name;
  return text.empty() ? " is empty" : text;
}

/// Distinguishes a foreign file from a damaged one by listing all missing parts of the layout.
void require_layout(const FileContext& context, hid_t file) {
  std::vector<std::string> missing;
  const auto require_attributes = [&](hid_t object, const char* where,
                                      std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (context.check(H5Aexists(object, name), "H5Aexists", where) == 0)
        missing.push_back(base::concat("attribute ", name, " of ", where, " is missing"));
  };
  if (!hdf5::holds(context, file, "matrix")) {
    missing.emplace_back("group /matrix is missing");
  } else {
    const auto group = hdf5::open_group(context, file, "matrix");
    require_attributes(group, "/matrix",
                       {"rows", "columns_count", "symmetric", "reference_columns"});
    for (const char* name : {"row_offsets", "columns", "values"})
      if (!hdf5::holds(context, group, name))
        missing.push_back(base::concat("data set /matrix/", name, " is missing"));
  }
  if (missing.empty()) return;
  std::string all;
  for (const std::string& one : missing) all += one + "; ";
  context.refuse("not a matrix in the layout of ci-solve", all, "the file",
                 contents_of(context, file),
                 "; expected the layout of docs/results.md, \"A matrix in HDF5\", or a file that ",
                 "scipy.sparse.save_npz wrote");
}

/// True if the file has format attributes; hand-made files may lack them.
bool says_what_it_is(const FileContext& context, hid_t file) {
  const auto has = [&](const char* name) {
    return context.check(H5Aexists(file, name), "H5Aexists", "/") > 0;
  };
  return has("format") || has("schema");
}

sparse::MatrixShape read_shape(const FileContext& context, hid_t group) {
  const auto read = [&](const char* name) {
    return hdf5::read_integer(context, group, name, "/matrix");
  };
  const Index symmetric = read("symmetric");
  if (symmetric != 0 && symmetric != 1)
    context.refuse("/matrix", "symmetric is ", symmetric, "; expected 0 or 1");
  return {read("rows"), read("columns_count"), read("reference_columns"), symmetric == 1};
}

void require_size(const FileContext& context, std::string_view name, Index size, Index expected) {
  if (size != expected)
    context.refuse(name, size, " elements; expected ", expected,
                   " from the attributes and the other data sets");
}

void send_matrix(const std::string& path, const WorkerOutput& output) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context{path, base::ErrorKind::bad_input, "expected an undamaged HDF5 file"};
  const auto file = hdf5::open_file(context);
  require_layout(context, file);
  if (says_what_it_is(context, file))
    hdf5::require_schema(context, file, schema::kFormat, schema::kVersion);
  const auto group = hdf5::open_group(context, file, "matrix");
  const sparse::MatrixShape shape = read_shape(context, group);
  const hdf5::DatasetReader offsets(context, group, "row_offsets", hdf5::integer_elements(), 1);
  const hdf5::DatasetReader columns(context, group, "columns", hdf5::column_elements(), 1);
  const hdf5::DatasetReader values(context, group, "values", hdf5::real_elements(), 1);
  if (shape.rows < 0) context.refuse("/matrix", shape.rows, " rows; expected 0 or more");
  require_size(context, "row_offsets", offsets.size() - 1, shape.rows);
  require_size(context, "values", values.size(), columns.size());
  output.send(Extent{shape, columns.size()});
  offsets.send(output);
  columns.send(output);
  values.send(output);
}

// ---- in the program ----

template <class... Parts>
[[noreturn]] void refuse(const std::string& path, const Parts&... parts) {
  base::fail(base::ErrorKind::bad_input, path, ": /matrix: ", parts...);
}

void require_sound_offsets(const sparse::Csr& matrix, const std::string& path) {
  const auto offsets = matrix.offsets.span();
  if (offsets.front() != 0 || offsets.back() != matrix.nonzeros())
    refuse(path, "row_offsets range from ", offsets.front(), " to ", offsets.back(),
           "; expected 0 to ", matrix.nonzeros());
  for (Index row = 0; row < matrix.shape.rows; ++row)
    if (offsets[row] > offsets[row + 1])
      refuse(path, "row_offsets decrease after row ", row, "; expected ascending offsets");
}

void require_sound_row(const sparse::Csr& matrix, Index row, const std::string& path) {
  Index previous = -1;
  for (Index k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
    const Index column = matrix.columns[k];
    if (column < 0 || column >= matrix.shape.columns)
      refuse(path, "column ", column, " in row ", row, " is out of range; expected 0 to ",
             matrix.shape.columns - 1);
    if (column <= previous)
      refuse(path, "column ", column, " follows ", previous, " in row ", row,
             "; expected ascending columns without repeats");
    if (!std::isfinite(matrix.values[k]))
      refuse(path, "the value at row ", row, ", column ", column,
             " is not finite; expected finite numbers");
    previous = column;
  }
}

void require_sound(const sparse::Csr& matrix, const std::string& path, const base::Backend& host) {
  require_sound_offsets(matrix, path);
  base::for_each_chunk(matrix.shape.rows, kRowsPerChunk, host, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) require_sound_row(matrix, row, path);
  });
  if (matrix.shape.symmetric)
    sparse::require_symmetric(matrix, path + ": /matrix: symmetric is promised", host);
}

void require_sound_shape(const sparse::MatrixShape& shape, const std::string& path) {
  try {
    sparse::require_storable(shape);
  } catch (const base::Error& error) {
    refuse(path, error.what());
  }
}

}  // namespace

sparse::Csr read_hdf5_matrix(const std::filesystem::path& path, const base::Backend& host) {
  require_regular_file(path);
  const std::string& name = path.native();
  Worker worker(name, kWorkerMemory,
                [&name](const WorkerOutput& output) { send_matrix(name, output); });
  const auto extent = worker.receive<Extent>();
  require_sound_shape(extent.shape, name);
  sparse::Csr matrix = sparse::allocate_csr(extent.shape, extent.nonzeros, host);
  worker.receive(matrix.offsets.span());
  worker.receive(matrix.columns.span());
  worker.receive(matrix.values.span());
  require_sound(matrix, name, host);
  return matrix;
}

}  // namespace cisolve::io
