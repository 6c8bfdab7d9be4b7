#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "io/files/mapped_file.hpp"
#include "io/files/sha256.hpp"
#include "io/files/worker.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_reader.hpp"
#include "io/results/checkpoint.hpp"
#include "io/results/checkpoint_schema.hpp"

namespace cisolve::io {
namespace {

using hdf5::FileContext;

constexpr Index kMostColumns = 100'000;

/// Sent by the worker before texts and arrays.
struct CheckpointHeader {
  Index input_bytes;
  Index sequence;
  Index iterations;
  Index products;
  Index energies;
  Index rows;
  Index columns;
};

// ---- in the worker ----

std::string read_input(const FileContext& context, hid_t group) {
  const std::string input = hdf5::read_text(context, group, "input", "/checkpoint");
  if (sha256(input) != hdf5::read_text(context, group, "input_sha256", "/checkpoint"))
    context.refuse("/checkpoint",
                   "input and input_sha256 do not match; expected an undamaged checkpoint");
  return input;
}

/// Calls work(context, group) with the checkpoint's group.
template <class Work>
void open_checkpoint(const std::string& path, Work work) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context{path, base::ErrorKind::bad_input, "expected an undamaged checkpoint"};
  context.check(H5PLset_loading_state(0), "H5PLset_loading_state", "/");
  const auto access = context.own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate", "/");
  context.check(H5Pset_fapl_sec2(access), "H5Pset_fapl_sec2", "/");
  const auto file =
      context.own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "H5Fopen", "/");
  hdf5::require_schema(context, file, checkpoint_schema::kFormat, checkpoint_schema::kVersion);
  work(context, hdf5::open_group(context, file, checkpoint_schema::kGroup));
}

void send_checkpoint(const FileContext& context, hid_t group, const WorkerOutput& output) {
  const auto number = [&](const char* name) {
    return hdf5::read_integer(context, group, name, "/checkpoint");
  };
  const std::string input = read_input(context, group);
  const hdf5::DatasetReader energies(context, group, "energies", hdf5::float64_elements());
  const hdf5::DatasetReader basis(context, group, "basis", hdf5::float64_elements());
  const CheckpointHeader header{std::ssize(input),      number("sequence"), number("iterations"),
                                number("products"),     energies.size(),    number("rows"),
                                number("columns_count")};
  if (header.rows < 1 || header.columns < 1 || header.columns > kMostColumns ||
      header.rows > basis.size() || header.rows * header.columns != basis.size() ||
      header.energies > header.columns)
    context.refuse("/checkpoint", header.columns, " vectors of ", header.rows, " rows with ",
                   basis.size(), " elements and ", header.energies, " energies; expected matching ",
                   "numbers");
  output.send(header);
  output.send(std::span<const char>(input));
  energies.send(output);
  basis.send(output);
}

// ---- in the program ----

void require_sound(const StoredCheckpoint& checkpoint, const std::string& path) {
  const auto finite = [](double value) { return std::isfinite(value); };
  bool sound = checkpoint.iterations >= 0 && checkpoint.products >= 0 &&
               std::ranges::all_of(checkpoint.energies, finite);
  const base::ConstBlock basis = checkpoint.basis.block();
  for (int j = 0; j < basis.columns; ++j)
    sound = sound && std::all_of(basis.column(j), basis.column(j) + basis.rows, finite);
  if (!sound)
    base::fail(base::ErrorKind::bad_input, path, ": /checkpoint: a count is negative, or a number ",
               "is not finite; expected an undamaged checkpoint");
}

}  // namespace

Index read_checkpoint_sequence(const std::filesystem::path& path) {
  require_regular_file(path);
  const std::string& name = path.native();
  Worker worker(name, kWorkerMemory, [&name](const WorkerOutput& output) {
    open_checkpoint(name, [&](const FileContext& context, hid_t group) {
      output.send(hdf5::read_integer(context, group, "sequence", "/checkpoint"));
    });
  });
  return worker.receive<Index>();
}

StoredCheckpoint read_checkpoint(const std::filesystem::path& path, const base::Backend& host) {
  require_regular_file(path);
  const std::string& name = path.native();
  Worker worker(name, kWorkerMemory, [&name](const WorkerOutput& output) {
    open_checkpoint(name, [&](const FileContext& context, hid_t group) {
      send_checkpoint(context, group, output);
    });
  });
  const auto header = worker.receive<CheckpointHeader>();
  StoredCheckpoint checkpoint{
      .input = std::string(header.input_bytes, '\0'),
      .sequence = header.sequence,
      .iterations = header.iterations,
      .products = header.products,
      .energies = std::vector<double>(header.energies),
      .basis = base::MultiVector(host, header.rows, static_cast<int>(header.columns),
                                 "the vectors of a checkpoint"),
      .layout = base::Layout::whole(header.rows)};
  worker.receive(std::span<char>(checkpoint.input));
  worker.receive(std::span<double>(checkpoint.energies));
  const base::Block basis = checkpoint.basis.block();
  for (int j = 0; j < basis.columns; ++j)
    worker.receive(std::span<double>(basis.column(j), static_cast<std::size_t>(basis.rows)));
  require_sound(checkpoint, name);
  return checkpoint;
}

}  // namespace cisolve::io
