#include "io/results/saved_orbitals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "ci/fock/integrals/integrals.hpp"
#include "io/files/mapped_file.hpp"
#include "io/files/worker.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_reader.hpp"
#include "io/results/open_results.hpp"
#include "io/results/results.hpp"

namespace cisolve::io {
namespace {

using hdf5::DatasetReader;
using hdf5::FileContext;

constexpr std::size_t kDigest = 64;  // hexadecimal digits of a SHA-256

/// Sent by the worker before the numbers.
struct OrbitalsHeader {
  Index are_saved;
  Index are_sites;
  Index frozen;
  Index active;
  Index one_electron;  // 0 if integrals are not saved
  Index two_electron;
  std::array<char, kDigest> digest;
  Index has_digest;
};

Index pairs_of(Index count) { return count * (count + 1) / 2; }

// ---- in the worker ----

void send_orbitals(const std::string& path, const WorkerOutput& output) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context{path, base::ErrorKind::bad_input,
                            "expected undamaged results of this program"};
  const auto file = open_results(context);
  OrbitalsHeader header{};
  if (!hdf5::holds(context, file, "orbitals")) return output.send(header);
  const auto group = hdf5::open_group(context, file, "orbitals");
  const std::string digest = hdf5::read_text(context, group, "digest", "orbitals");
  header.has_digest = digest == kNoDigest ? 0 : 1;
  if (header.has_digest != 0 && digest.size() != kDigest)
    context.refuse("/orbitals", "the digest has ", digest.size(), " characters; expected ",
                   kDigest);
  if (header.has_digest != 0) std::memcpy(header.digest.data(), digest.data(), kDigest);
  header.are_saved = 1;
  header.are_sites = hdf5::read_integer(context, group, "are_sites", "orbitals");
  std::optional<DatasetReader> frozen;
  if (hdf5::holds(context, group, "frozen"))
    frozen.emplace(context, group, "frozen", hdf5::int64_elements());
  const DatasetReader active(context, group, "active", hdf5::int64_elements());
  header.frozen = frozen ? frozen->size() : 0;
  header.active = active.size();
  if (header.frozen > ci::kMostOrbitals || header.active > ci::kMostOrbitals)
    context.refuse("/orbitals", header.frozen, " frozen and ", header.active,
                   " active orbitals; expected at most ", ci::kMostOrbitals);
  if (!hdf5::holds(context, group, "one_electron")) {
    output.send(header);
    if (frozen) frozen->send(output);
    return active.send(output);
  }
  const DatasetReader one(context, group, "one_electron", hdf5::float64_elements());
  const DatasetReader two(context, group, "two_electron", hdf5::float64_elements());
  header.one_electron = one.size();
  header.two_electron = two.size();
  const Index pairs = pairs_of(header.active);
  if (one.size() != pairs || two.size() != pairs_of(pairs))
    context.refuse("/orbitals", one.size(), " one- and ", two.size(),
                   " two-electron integrals over ", header.active, " orbitals; expected ", pairs,
                   " and ", pairs_of(pairs));
  output.send(header);
  if (frozen) frozen->send(output);
  for (const DatasetReader* part : {&active, &one, &two}) part->send(output);
}

// ---- in the program ----

/// Ascending, as in a window.
bool are_orbitals(const std::vector<Index>& numbers) {
  Index before = 0;
  return std::ranges::all_of(numbers, [&](Index number) {
    return std::exchange(before, number) < number && number <= ci::kMostOrbitals;
  });
}

bool are_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

}  // namespace

std::optional<SavedOrbitals> read_saved_orbitals(const std::filesystem::path& path) {
  require_regular_file(path);
  const std::string& name = path.native();
  Worker worker(name, kWorkerMemory,
                [&name](const WorkerOutput& output) { send_orbitals(name, output); });
  const auto header = worker.receive<OrbitalsHeader>();
  if (header.are_saved == 0) return std::nullopt;
  SavedOrbitals saved{.are_sites = header.are_sites != 0};
  if (header.has_digest != 0) saved.digest.assign(header.digest.data(), kDigest);
  const auto receive = [&](auto& values, Index size) {
    values.resize(static_cast<std::size_t>(size));
    if (size > 0) worker.receive(std::span(values));
  };
  receive(saved.frozen, header.frozen);
  receive(saved.active, header.active);
  receive(saved.one_electron, header.one_electron);
  receive(saved.two_electron, header.two_electron);
  if (!are_orbitals(saved.frozen) || !are_orbitals(saved.active))
    base::fail(base::ErrorKind::bad_input, name,
               ": /orbitals: the numbers of frozen or active orbitals ", "do not ascend from 1 to ",
               ci::kMostOrbitals, "; expected undamaged ", "results");
  if (!are_finite(saved.one_electron) || !are_finite(saved.two_electron))
    base::fail(base::ErrorKind::bad_input, name,
               ": /orbitals: an integral is not finite; expected ", "undamaged results");
  return saved;
}

}  // namespace cisolve::io
