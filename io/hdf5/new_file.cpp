#include "io/hdf5/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "base/address_space.hpp"
#include "io/hdf5/dataset_writer.hpp"

namespace cisolve::io::hdf5 {
namespace {

constexpr Index kOverhead = Index{1} << 16;  // HDF5's own data

// Throws unless the disk has space for `bytes` more; allocates and frees it.
void try_disk_space(const OutputFile& output, Index bytes) {
  const int descriptor = ::open(output.temporary().c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  const off_t end = descriptor < 0 ? -1 : ::lseek(descriptor, 0, SEEK_END);
  bool failed = end < 0 || ::fallocate(descriptor, 0, end, bytes + kOverhead) != 0;
  int error = errno;
  if (!failed && ::ftruncate(descriptor, end) != 0) {
    failed = true;
    error = errno;
  }
  if (descriptor >= 0) ::close(descriptor);
  if (failed && error != EOPNOTSUPP)
    base::fail(base::ErrorKind::cannot_write, output.path().native(),
               ": the disk has no space for ", base::human_bytes(bytes + kOverhead), ": ",
               reason_and_remedy(error));
}

void require_memory(const OutputFile& output) {
  base::require_address_space(kWritingSpace, "writing " + output.path().native());
}

Handle create(const FileContext& context, const OutputFile& output, Index bytes) {
  require_memory(output);
  try_disk_space(output, bytes);
  return context.own(
      H5Fcreate(output.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_list(context)),
      H5Fclose, "H5Fcreate", "/");
}

}  // namespace

FileContext writing_context(const std::filesystem::path& path) {
  return {path.native(), base::ErrorKind::cannot_write, "expected a writable disk with free space"};
}

Handle access_list(const FileContext& context) {
  Handle access = context.own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate", "/");
  context.check(H5Pset_fapl_sec2(access), "H5Pset_fapl_sec2", "/");
  context.check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110),
                "H5Pset_libver_bounds", "/");
  return access;
}

NewFile::NewFile(const FileContext& context, std::filesystem::path path, bool overwrite,
                 Index bytes, FileOwner owner)
    : context_(context),
      output_(std::move(path), overwrite, owner),
      file_(create(context, output_, bytes)) {}

NewFile::~NewFile() {
  if (committed_) return;
  file_.close();
  std::error_code ignored;
  std::filesystem::resize_file(output_.temporary(), 0, ignored);  // HDF5 may keep it open
}

Handle NewFile::make_group(hid_t parent, const char* name) const {
  return context_.own(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                      "H5Gcreate2", name);
}

void NewFile::require_space(Index bytes) const {
  require_memory(output_);
  try_disk_space(output_, bytes);
}

const std::filesystem::path& NewFile::close() {
  context_.check(file_.close(), "H5Fclose", "/");
  return output_.temporary();
}

void NewFile::commit() {
  close();
  output_.commit();
  committed_ = true;
}

void write_text(const FileContext& context, hid_t parent, const char* name, std::string_view text) {
  const Handle type = context.own(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy", name);
  context.check(H5Tset_size(type, std::max<std::size_t>(text.size(), 1)), "H5Tset_size", name);
  context.check(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad", name);
  context.check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset", name);
  const Handle space = context.own(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate", name);
  const Handle set =
      context.own(H5Dcreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                  H5Dclose, "H5Dcreate2", name);
  const std::string held = text.empty() ? std::string(1, '\0') : std::string(text);
  context.check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, held.data()), "H5Dwrite", name);
}

void write_vectors(const FileContext& context, hid_t parent, const char* name,
                   base::ConstBlock block, const Alteration& alter) {
  using Extent = std::array<hsize_t, 2>;
  const Extent extent{static_cast<hsize_t>(block.columns), static_cast<hsize_t>(block.rows)};
  const Handle space =
      context.own(H5Screate_simple(2, extent.data(), nullptr), H5Sclose, "H5Screate_simple", name);
  const Handle creation = context.own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "H5Pcreate", name);
  const Index piece = chunk_of(block.rows, block.columns);
  if (block.rows > 0 && block.columns > 0) {
    const Extent chunk{1, static_cast<hsize_t>(piece)};
    context.check(H5Pset_chunk(creation, 2, chunk.data()), "H5Pset_chunk", name);
    context.check(H5Pset_fletcher32(creation), "H5Pset_fletcher32", name);
  }
  const Handle set = context.own(H5Dcreate2(parent, name, H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                            creation, write_through(context, name)),
                                 H5Dclose, "H5Dcreate2", name);
  std::vector<double> altered;
  for (int j = 0; j < block.columns; ++j)
    for (Index row = 0; row < block.rows; row += piece) {
      const Index rows = std::min(piece, block.rows - row);
      const double* elements = block.column(j) + row;
      if (alter) {
        altered.assign(elements, elements + rows);
        alter(row, altered);
        elements = altered.data();
      }
      const Extent start{static_cast<hsize_t>(j), static_cast<hsize_t>(row)};
      const Extent count{1, static_cast<hsize_t>(rows)};
      context.check(
          H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
          "H5Sselect_hyperslab", name);
      const Handle held = context.own(H5Screate_simple(2, count.data(), nullptr), H5Sclose,
                                      "H5Screate_simple", name);
      context.check(H5Dwrite(set, H5T_NATIVE_DOUBLE, held, space, H5P_DEFAULT, elements),
                    "H5Dwrite", name);
    }
}

void write_matrix(const FileContext& context, hid_t parent, const char* name,
                  const base::SmallMatrix& matrix) {
  if (matrix.columns() == 0) return;
  base::SmallMatrix rows(matrix.columns(), matrix.rows());
  for (int p = 0; p < matrix.rows(); ++p)
    for (int q = 0; q < matrix.columns(); ++q) rows(q, p) = matrix(p, q);
  write_vectors(context, parent, name,
                {rows.values().data(), rows.rows(), rows.columns(), rows.rows()});
}

void write_reals(const FileContext& context, hid_t parent, const char* name,
                 std::span<const double> values) {
  DatasetWriter(context, parent, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 8, std::ssize(values),
                DatasetKind::checked)
      .append(values.data(), std::ssize(values));
}

}  // namespace cisolve::io::hdf5
