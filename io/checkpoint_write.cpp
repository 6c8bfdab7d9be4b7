#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "io/checkpoint.hpp"
#include "io/checkpoint_schema.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_writer.hpp"
#include "io/output_file.hpp"
#include "io/sha256.hpp"

namespace cisolve::io {
namespace {

using hdf5::Context;
using hdf5::Handle;

constexpr Index kOverhead = Index{1} << 16;  // of HDF5, beside the elements
constexpr Index kElementsPerSlab = Index{1} << 20;

/// Takes the room that the file will need, which HDF5 gives back when it makes the file anew: a
/// full disk is met here and not in the middle of HDF5, which keeps open what it cannot finish.
void require_room(const OutputFile& output, Index bytes) {
  const int descriptor = ::open(output.temporary().c_str(), O_RDWR | O_CLOEXEC);
  const bool failed = descriptor < 0 || ::fallocate(descriptor, 0, 0, bytes) != 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (failed && error != EOPNOTSUPP)
    base::fail(base::Fault::cannot_write, output.path().native(), ": no room for a checkpoint of ",
               base::human_bytes(bytes), ": ", std::generic_category().message(error));
}

Handle access_list(const Context& context) {
  Handle access = context.own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate", "/");
  context.check(H5Pset_fapl_sec2(access), "H5Pset_fapl_sec2", "/");
  context.check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110),
                "H5Pset_libver_bounds", "/");
  return access;
}

void write_attributes(const Context& context, hid_t file, hid_t group,
                      const StoredCheckpoint& checkpoint) {
  hdf5::write_attribute(context, file, "format", checkpoint_schema::kFormat);
  hdf5::write_attribute(context, file, "schema", checkpoint_schema::kVersion);
  hdf5::write_attribute(context, file, "program", "ci-solve");
  hdf5::write_attribute(context, file, "version", CISOLVE_VERSION);
  hdf5::write_attribute(context, group, "input", checkpoint.input);
  hdf5::write_attribute(context, group, "input_sha256", sha256(checkpoint.input));
  hdf5::write_attribute(context, group, "sequence", checkpoint.sequence);
  hdf5::write_attribute(context, group, "iterations", checkpoint.iterations);
  hdf5::write_attribute(context, group, "products", checkpoint.products);
  hdf5::write_attribute(context, group, "rows", checkpoint.basis.rows());
  hdf5::write_attribute(context, group, "columns_count", Index{checkpoint.basis.columns()});
}

void write_contents(const Context& context, const std::filesystem::path& path,
                    const StoredCheckpoint& checkpoint) {
  Handle file =
      context.own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_list(context)),
                  H5Fclose, "H5Fcreate", "/");
  {
    const Handle group = context.own(
        H5Gcreate2(file, checkpoint_schema::kGroup, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Gclose, "H5Gcreate2", checkpoint_schema::kGroup);
    write_attributes(context, file, group, checkpoint);
    const base::ConstBlock basis = checkpoint.basis.block();
    const auto energies = std::ssize(checkpoint.energies);
    hdf5::DatasetWriter(context, group, "energies", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 8, energies,
                        false)
        .append(checkpoint.energies.data(), energies);
    hdf5::DatasetWriter vectors(context, group, "basis", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 8,
                                basis.rows * basis.columns, false);
    for (int j = 0; j < basis.columns; ++j) vectors.append(basis.column(j), basis.rows);
  }
  context.check(file.close(), "H5Fclose", "/");
}

/// What is in the file is what is in memory.
void require_equal(const Context& context, const std::filesystem::path& path,
                   base::ConstBlock basis) {
  const Handle file = context.own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access_list(context)),
                                  H5Fclose, "H5Fopen", "/");
  const Handle data =
      context.own(H5Dopen2(file, "checkpoint/basis", H5P_DEFAULT), H5Dclose, "H5Dopen2", "basis");
  const Handle stored = context.own(H5Dget_space(data), H5Sclose, "H5Dget_space", "basis");
  std::vector<double> slab(std::min(basis.rows, kElementsPerSlab));
  for (int j = 0; j < basis.columns; ++j)
    for (Index row = 0; row < basis.rows; row += kElementsPerSlab) {
      const Index place = Index{j} * basis.rows + row;
      const auto start = static_cast<hsize_t>(place);
      const auto count = static_cast<hsize_t>(std::min(kElementsPerSlab, basis.rows - row));
      context.check(H5Sselect_hyperslab(stored, H5S_SELECT_SET, &start, nullptr, &count, nullptr),
                    "H5Sselect_hyperslab", "basis");
      const Handle held =
          context.own(H5Screate_simple(1, &count, nullptr), H5Sclose, "H5Screate_simple", "basis");
      context.check(H5Dread(data, H5T_NATIVE_DOUBLE, held, stored, H5P_DEFAULT, slab.data()),
                    "H5Dread", "basis");
      if (std::memcmp(slab.data(), basis.column(j) + row, count * sizeof(double)) != 0)
        base::fail(base::Fault::cannot_write, path.native(),
                   ": what was read back differs from what was written; is the disk failing?");
    }
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const StoredCheckpoint& checkpoint) {
  const hdf5::Silence silence;
  const Context context{path.native(), base::Fault::cannot_write,
                        "expected a disk with room that can be written to"};
  OutputFile output(path, true);
  const base::ConstBlock basis = checkpoint.basis.block();
  require_room(output, basis.rows * basis.columns * Index{sizeof(double)} + kOverhead);
  try {
    write_contents(context, output.temporary(), checkpoint);
    require_equal(context, output.temporary(), basis);
  } catch (...) {
    std::error_code ignored;  // the first error is the one to report
    std::filesystem::resize_file(output.temporary(), 0, ignored);  // HDF5 may keep it open
    throw;
  }
  output.commit();
}

}  // namespace cisolve::io
