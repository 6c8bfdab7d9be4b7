#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/error.hpp"
#include "io/files/sha256.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_writer.hpp"
#include "io/hdf5/new_file.hpp"
#include "io/results/checkpoint.hpp"
#include "io/results/checkpoint_schema.hpp"

namespace cisolve::io {
namespace {

using hdf5::FileContext;
using hdf5::Handle;

constexpr Index kElementsPerSlab = Index{1} << 20;

/// Order-sensitive digest of the bits of all elements, independent of their division into pieces;
/// changing one element always changes it. Elements are distributed over lanes to hide latency.
class Digest {
 public:
  void add(std::span<const double> elements) {
    while (!elements.empty() && count_ % kLanes != 0) take_first_of(elements);
    for (; elements.size() >= kLanes; elements = elements.subspan(kLanes), count_ += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) step(lane, elements[lane]);
    while (!elements.empty()) take_first_of(elements);
  }
  Index count() const { return count_; }
  bool operator==(const Digest&) const = default;

 private:
  static constexpr std::size_t kLanes = 8;

  void take_first_of(std::span<const double>& elements) {
    step(static_cast<std::size_t>(count_++) % kLanes, elements.front());
    elements = elements.subspan(1);
  }
  /// A bijection of the state for each element, and of the element for each state.
  void step(std::size_t lane, double element) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
    std::uint64_t& value = values_[lane];
    value = (std::rotl(value, 29) ^ std::bit_cast<std::uint64_t>(element)) * kOdd;
  }

  std::array<std::uint64_t, kLanes> values_{};
  Index count_ = 0;
};

void require_not_cancelled(const FileContext& context, const CheckpointToWrite& checkpoint) {
  if (!checkpoint.should_continue())
    base::fail(base::ErrorKind::cannot_write, context.file,
               ": writing was given up before the checkpoint was complete");
}

void write_attributes(const FileContext& context, hid_t file, hid_t group,
                      const CheckpointToWrite& checkpoint) {
  hdf5::write_attribute(context, file, "format", checkpoint_schema::kFormat);
  hdf5::write_attribute(context, file, "schema", checkpoint_schema::kVersion);
  hdf5::write_attribute(context, file, "program", "ci-solve");
  hdf5::write_attribute(context, file, "version", CISOLVE_VERSION);
  hdf5::write_attribute(context, group, "input", checkpoint.input);
  hdf5::write_attribute(context, group, "input_sha256", sha256(checkpoint.input));
  hdf5::write_attribute(context, group, "sequence", checkpoint.sequence);
  hdf5::write_attribute(context, group, "iterations", checkpoint.iterations);
  hdf5::write_attribute(context, group, "products", checkpoint.products);
  hdf5::write_attribute(context, group, "rows", checkpoint.rows);
  hdf5::write_attribute(context, group, "columns_count", checkpoint.columns);
}

/// Returns the digest of the vectors.
Digest write_contents(const FileContext& context, const hdf5::NewFile& file,
                      const CheckpointToWrite& checkpoint) {
  const Handle group = file.make_group(file, checkpoint_schema::kGroup);
  write_attributes(context, file, group, checkpoint);
  const auto energies = std::ssize(checkpoint.energies);
  hdf5::DatasetWriter(context, group, "energies", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 8, energies,
                      hdf5::DatasetKind::checked)
      .append(checkpoint.energies.data(), energies);
  hdf5::DatasetWriter vectors(context, group, "basis", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 8,
                              checkpoint.rows * checkpoint.columns, hdf5::DatasetKind::checked);
  Digest written;
  checkpoint.stream_vectors([&](std::span<const double> elements) {
    require_not_cancelled(context, checkpoint);
    vectors.append(elements.data(), std::ssize(elements));
    written.add(elements);
  });
  if (written.count() != checkpoint.rows * checkpoint.columns)
    base::fail(base::ErrorKind::internal, written.count(), " elements of a checkpoint of ",
               checkpoint.columns, " vectors of ", checkpoint.rows, " rows");
  return written;
}

/// Reads the vectors back and compares their digest with the one of the written data.
void require_equal(const FileContext& context, const std::filesystem::path& path,
                   const CheckpointToWrite& checkpoint, const Digest& written) {
  const Handle file = context.own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, hdf5::access_list(context)),
                                  H5Fclose, "H5Fopen", "/");
  const Handle data =
      context.own(H5Dopen2(file, "checkpoint/basis", H5P_DEFAULT), H5Dclose, "H5Dopen2", "basis");
  const Handle stored = context.own(H5Dget_space(data), H5Sclose, "H5Dget_space", "basis");
  std::vector<double> slab(std::min(written.count(), kElementsPerSlab));
  Digest read;
  while (read.count() < written.count()) {
    require_not_cancelled(context, checkpoint);
    const auto start = static_cast<hsize_t>(read.count());
    const auto count =
        static_cast<hsize_t>(std::min(kElementsPerSlab, written.count() - read.count()));
    context.check(H5Sselect_hyperslab(stored, H5S_SELECT_SET, &start, nullptr, &count, nullptr),
                  "H5Sselect_hyperslab", "basis");
    const Handle held =
        context.own(H5Screate_simple(1, &count, nullptr), H5Sclose, "H5Screate_simple", "basis");
    context.check(H5Dread(data, H5T_NATIVE_DOUBLE, held, stored, H5P_DEFAULT, slab.data()),
                  "H5Dread", "basis");
    read.add({slab.data(), static_cast<std::size_t>(count)});
  }
  if (read != written)
    base::fail(base::ErrorKind::cannot_write, path.native(),
               ": the data read back differ from the data written; check the disk");
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const CheckpointToWrite& checkpoint) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context = hdf5::writing_context(path);
  hdf5::NewFile file(context, path, true, checkpoint.bytes(), FileOwner::program);
  const Digest written = write_contents(context, file, checkpoint);
  require_equal(context, file.close(), checkpoint, written);
  file.commit();
}

void write_checkpoint(const std::filesystem::path& path, const StoredCheckpoint& checkpoint) {
  const base::ConstBlock basis = checkpoint.basis.block();
  base::require_whole(checkpoint.layout, basis.rows, "a checkpoint");
  write_checkpoint(path, {.input = checkpoint.input,
                          .sequence = checkpoint.sequence,
                          .iterations = checkpoint.iterations,
                          .products = checkpoint.products,
                          .energies = checkpoint.energies,
                          .rows = basis.rows,
                          .columns = basis.columns,
                          .stream_vectors = [&basis](const auto& take) {
                            for (int j = 0; j < basis.columns; ++j)
                              take({basis.column(j), static_cast<std::size_t>(basis.rows)});
                          }});
}

}  // namespace cisolve::io
