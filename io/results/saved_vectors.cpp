#include "io/results/saved_vectors.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "io/files/mapped_file.hpp"
#include "io/files/worker.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_reader.hpp"
#include "io/results/open_results.hpp"

namespace cisolve::io {
namespace {

using hdf5::FileContext;

constexpr Index kMostStatesSaved = 100'000;

/// Sent by the worker before the elements.
struct VectorsHeader {
  Index rows;
  Index states;
};

// ---- in the worker ----

void send_vectors(const std::string& path, const WorkerOutput& output) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context{path, base::ErrorKind::bad_input,
                            "expected undamaged results of this program"};
  const auto file = open_results(context);
  const auto states = hdf5::open_group(context, file, "states");
  if (!hdf5::holds(context, states, "vectors"))
    context.refuse("/states", "the file holds no vectors; expected results of a job with ",
                   "'output.vectors: true'");
  const hdf5::DatasetReader vectors(context, states, "vectors", {hdf5::float64_elements()}, 2);
  if (vectors.rows() < 1 || vectors.rows() > kMostStatesSaved || vectors.columns() < 1)
    context.refuse("/states/vectors", vectors.rows(), " vectors of ", vectors.columns(),
                   " elements; expected 1 to ", kMostStatesSaved, " of at least one");
  output.send(VectorsHeader{vectors.columns(), vectors.rows()});
  vectors.send(output);
}

void send_energies(const std::string& path, const WorkerOutput& output) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context{path, base::ErrorKind::bad_input,
                            "expected undamaged results of this program"};
  const auto file = open_results(context);
  const auto states = hdf5::open_group(context, file, "states");
  const hdf5::DatasetReader energies(context, states, "energies", hdf5::float64_elements());
  if (energies.size() < 1 || energies.size() > kMostStatesSaved)
    context.refuse("/states/energies", energies.size(), " energies; expected 1 to ",
                   kMostStatesSaved);
  output.send(energies.size());
  energies.send(output);
}

// ---- in the program ----

void require_finite(const base::MultiVector& vectors, const std::string& path) {
  const base::ConstBlock all = vectors.block();
  for (int j = 0; j < all.columns; ++j)
    if (!std::all_of(all.column(j), all.column(j) + all.rows,
                     [](double value) { return std::isfinite(value); }))
      base::fail(base::ErrorKind::bad_input, path, ": /states/vectors: a number of state ", j + 1,
                 " is not finite; expected undamaged results");
}

}  // namespace

base::MultiVector read_saved_vectors(const std::filesystem::path& path, const base::Backend& host) {
  require_regular_file(path);
  const std::string& name = path.native();
  Worker worker(name, kWorkerMemory,
                [&name](const WorkerOutput& output) { send_vectors(name, output); });
  const auto header = worker.receive<VectorsHeader>();
  base::MultiVector vectors(host, header.rows, static_cast<int>(header.states), "saved vectors");
  const base::Block all = vectors.block();
  for (int j = 0; j < all.columns; ++j)
    worker.receive(std::span<double>(all.column(j), static_cast<std::size_t>(all.rows)));
  require_finite(vectors, name);
  return vectors;
}

std::vector<double> read_saved_energies(const std::filesystem::path& path) {
  require_regular_file(path);
  const std::string& name = path.native();
  Worker worker(name, kWorkerMemory,
                [&name](const WorkerOutput& output) { send_energies(name, output); });
  std::vector<double> energies(static_cast<std::size_t>(worker.receive<Index>()));
  worker.receive(std::span<double>(energies));
  if (!std::ranges::all_of(energies, [](double value) { return std::isfinite(value); }))
    base::fail(base::ErrorKind::bad_input, name,
               ": /states/energies: an energy is not finite; expected undamaged results");
  return energies;
}

}  // namespace cisolve::io
