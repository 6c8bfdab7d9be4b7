#include <algorithm>
#include <cstring>

#include "io/files/sha256.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_writer.hpp"
#include "io/hdf5/new_file.hpp"
#include "io/results/checkpoint.hpp"
#include "io/results/checkpoint_schema.hpp"

namespace cisolve::io {
namespace {

using hdf5::Context;
using hdf5::Handle;

constexpr Index kElementsPerSlab = Index{1} << 20;

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

void write_contents(const Context& context, const hdf5::NewFile& file,
                    const StoredCheckpoint& checkpoint) {
  const Handle group = file.make_group(file, checkpoint_schema::kGroup);
  write_attributes(context, file, group, checkpoint);
  const base::ConstBlock basis = checkpoint.basis.block();
  const auto energies = std::ssize(checkpoint.energies);
  hdf5::DatasetWriter(context, group, "energies", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 8, energies,
                      hdf5::DatasetKind::checked)
      .append(checkpoint.energies.data(), energies);
  hdf5::DatasetWriter vectors(context, group, "basis", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 8,
                              basis.rows * basis.columns, hdf5::DatasetKind::checked);
  for (int j = 0; j < basis.columns; ++j) vectors.append(basis.column(j), basis.rows);
}

/// What is in the file is what is in memory.
void require_equal(const Context& context, const std::filesystem::path& path,
                   base::ConstBlock basis) {
  const Handle file = context.own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, hdf5::access_list(context)),
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
  base::require_whole(checkpoint.layout, checkpoint.basis.rows(), "a checkpoint");
  const hdf5::Silence silence;
  const Context context = hdf5::writing_context(path);
  const base::ConstBlock basis = checkpoint.basis.block();
  hdf5::NewFile file(context, path, true, basis.rows * basis.columns * Index{sizeof(double)});
  write_contents(context, file, checkpoint);
  require_equal(context, file.close(), basis);
  file.commit();
}

}  // namespace cisolve::io
