#include "io/results/saved_results.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "base/budget.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/files/mapped_file.hpp"
#include "io/files/worker.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_reader.hpp"
#include "io/results/open_results.hpp"

namespace cisolve::io {
namespace {

using hdf5::FileContext;

constexpr Index kMostStates = 100'000;
constexpr Index kMostWords = 4;
constexpr Index kMostRows = Index{1} << 50;
constexpr Index kLongestWord = 64;

struct TableOfFile {
  const char* group;
  const char* name;
  bool real;
  int rank;
};
constexpr TableOfFile kTables[] = {
    {"states", "energies", true, 1},
    {"states", "residuals", true, 1},
    {"states", "verified_residuals", true, 1},
    {"states", "error_bounds", true, 1},
    {"states", "converged", false, 1},
    {"states", "vectors", true, 2},
    {"strings", "alpha", false, 1},
    {"strings", "beta", false, 1},
    {"strings", "alpha_block", false, 1},
    {"strings", "beta_block", false, 1},
    {"determinants", "alpha", false, 1},
    {"determinants", "beta", false, 1},
    {"densities", "orbitals", false, 1},
    {"densities", "one_particle", true, 2},
    {"densities", "natural_orbitals", true, 2},
    {"densities", "natural_occupations", true, 2},
    {"densities", "transition", true, 2},
    {"densities", "two_particle", true, 2},
    {"entropies", "orbitals", false, 1},
    {"entropies", "single_orbital", true, 2},
    {"entropies", "mutual_information", true, 2},
    {"transition_orbitals", "orbitals", false, 1},
    {"transition_orbitals", "weights", true, 2},
    {"transition_orbitals", "holes", true, 2},
    {"transition_orbitals", "particles", true, 2},
    {"transition_orbitals", "level_first", false, 1},
    {"transition_orbitals", "level_states", false, 1},
    {"transition_orbitals", "level_hole_weights", true, 2},
    {"transition_orbitals", "level_particle_weights", true, 2},
    {"transition_orbitals", "level_holes", true, 2},
    {"transition_orbitals", "level_particles", true, 2},
    {"dyson", "other_energies", true, 1},
    {"dyson", "energies", true, 2},
    {"dyson", "pole_strengths", true, 2},
    {"dyson", "orbitals", true, 2},
};

/// Sent by the worker first.
struct ResultsHeader {
  Index dimension;
  Index iterations;
  Index products;
  Index verified;
  double orthogonality;
  Index words;
  Index method_bytes;
  Index completeness_bytes;
};

struct TableHeader {
  Index rows;  // -1: missing
  Index columns;
};

// ---- in the worker ----

void send_text(const WorkerOutput& output, const std::string& text) {
  output.send(std::span<const char>(text));
}

void send_table(const FileContext& context, hid_t file, const TableOfFile& table,
                const WorkerOutput& output) {
  constexpr TableHeader none{-1, 0};
  if (!hdf5::holds(context, file, table.group)) return output.send(none);
  const auto group = hdf5::open_group(context, file, table.group);
  if (!hdf5::holds(context, group, table.name)) return output.send(none);
  const auto type = table.real ? hdf5::float64_elements() : hdf5::int64_elements();
  const hdf5::DatasetReader reader(context, group, table.name, {type}, table.rank);
  output.send(TableHeader{reader.rows(), reader.columns()});
  reader.send(output);
}

/// Words per string; 0 without determinants.
Index words_of_strings(const FileContext& context, hid_t file) {
  for (const char* name : {"strings", "determinants"}) {
    if (!hdf5::holds(context, file, name)) continue;
    const auto group = hdf5::open_group(context, file, name);
    const Index words = hdf5::read_integer(context, group, "words", name);
    if (words < 1 || words > kMostWords)
      context.refuse(name, words, " words for each string; expected 1 to ", kMostWords);
    return words;
  }
  return 0;
}

void send_results(const std::string& path, const WorkerOutput& output) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context{path, base::ErrorKind::bad_input,
                            "expected undamaged results of this program"};
  const auto file = open_results(context);
  const auto states = hdf5::open_group(context, file, "states");
  const auto number = [&](const char* name) {
    return hdf5::read_integer(context, states, name, "/states");
  };
  const std::string method = hdf5::read_text(context, states, "method", "/states");
  const std::string completeness = hdf5::read_text(context, states, "completeness", "/states");
  output.send(
      ResultsHeader{.dimension = number("dimension"),
                    .iterations = number("iterations"),
                    .products = number("products"),
                    .verified = number("verified"),
                    .orthogonality = hdf5::read_real(context, states, "orthogonality", "/states"),
                    .words = words_of_strings(context, file),
                    .method_bytes = std::ssize(method),
                    .completeness_bytes = std::ssize(completeness)});
  send_text(output, method);
  send_text(output, completeness);
  for (const TableOfFile& table : kTables) send_table(context, file, table, output);
}

// ---- in the program ----

std::string received_text(Worker& worker, Index bytes, const std::string& path) {
  if (bytes < 0 || bytes > kLongestWord)
    base::fail(base::ErrorKind::bad_input, path, ": /states: a text has ", bytes,
               " bytes; expected undamaged results");
  std::string text(static_cast<std::size_t>(bytes), '\0');
  worker.receive(std::span<char>(text));
  return text;
}

void require_memory(const SavedTable& table, const std::string& path) {
  const double bytes = 8.0 * static_cast<double>(table.rows) * static_cast<double>(table.columns);
  const Index left = base::available_host_memory();
  if (bytes > static_cast<double>(left))
    base::fail(base::ErrorKind::resources, path, ": /", table.name, " takes ",
               base::human_bytes(static_cast<Index>(std::min(bytes, 0x1p62))), ", but only ",
               base::human_bytes(left), " of the memory budget are free; raise it");
}

void require_finite(const SavedTable& table, const std::string& path) {
  if (std::ranges::all_of(table.reals, [](double value) { return std::isfinite(value); })) return;
  base::fail(base::ErrorKind::bad_input, path, ": /", table.name,
             ": a number is not finite; expected undamaged results");
}

const SavedTable* find(const SavedResults& results, std::string_view name) {
  const auto found = std::ranges::find(results.tables, name, &SavedTable::name);
  return found == results.tables.end() ? nullptr : &*found;
}

Index rows_of(const SavedResults& results, std::string_view name) {
  const SavedTable* table = find(results, name);
  return table == nullptr ? 0 : table->rows;
}

struct Extent {
  Index rows;
  Index columns;
};

/// Required extent of a table, given the tables read before it.
Extent expected_extent(const SavedResults& results, const SavedTable& table) {
  const std::string& name = table.name;
  const Index states = rows_of(results, "states/energies");
  const Index n = rows_of(results, "densities/orbitals");
  if (name == "states/vectors") return {states, results.dimension};
  if (name.starts_with("states/")) return {states, 1};
  if (name == "densities/one_particle") return {states, 2 * n * n};
  if (name == "densities/transition") return {states - 1, 2 * n * n};
  if (name == "densities/natural_orbitals") return {states, n * n};
  if (name == "densities/natural_occupations") return {states, n};
  if (name == "densities/two_particle") return {states, n * n * n * n};
  const Index m = rows_of(results, "entropies/orbitals");
  if (name == "entropies/single_orbital") return {states, m};
  if (name == "entropies/mutual_information") return {states, m * m};
  const Index t = rows_of(results, "transition_orbitals/orbitals");
  const Index levels = rows_of(results, "transition_orbitals/level_first");
  if (name == "transition_orbitals/orbitals") return {t, 1};
  if (name.starts_with("transition_orbitals/level_")) {
    if (name.ends_with("weights")) return {levels, 2 * t};
    return {levels, name.ends_with("s/level_first") || name.ends_with("_states") ? 1 : 2 * t * t};
  }
  if (name == "transition_orbitals/weights") return {states - 1, 2 * t};
  if (name.starts_with("transition_orbitals/")) return {states - 1, 2 * t * t};
  const Index others = rows_of(results, "dyson/other_energies");
  if (name == "dyson/energies" || name == "dyson/pole_strengths") return {states, others};
  if (name == "dyson/orbitals") return {states * others, table.columns};
  if (name.starts_with("determinants/")) return {results.dimension * results.words, 1};
  if (name == "strings/alpha_block")
    return {rows_of(results, "strings/alpha") / std::max<Index>(results.words, 1), 1};
  if (name == "strings/beta_block")
    return {rows_of(results, "strings/beta") / std::max<Index>(results.words, 1), 1};
  return {table.rows, 1};
}

void require_sizes(const SavedResults& results, const std::string& path) {
  const Index states = rows_of(results, "states/energies");
  const Index orbitals =
      std::max({rows_of(results, "densities/orbitals"), rows_of(results, "entropies/orbitals"),
                rows_of(results, "transition_orbitals/orbitals")});
  if (states < 1 || states > kMostStates || orbitals > 64 * kMostWords || results.dimension < 1 ||
      results.dimension > kMostRows)
    base::fail(base::ErrorKind::bad_input, path, ": ", states, " states of ", results.dimension,
               " elements over ", orbitals, " orbitals; expected undamaged results");
  for (const SavedTable& table : results.tables) {
    const auto [rows, columns] = expected_extent(results, table);
    if (table.rows != rows || table.columns != columns)
      base::fail(base::ErrorKind::bad_input, path, ": /", table.name, ": ", table.rows, " rows of ",
                 table.columns, "; expected ", rows, " of ", columns);
  }
}

}  // namespace

SavedResults read_saved_results(const std::filesystem::path& path) {
  require_regular_file(path);
  const std::string& name = path.native();
  Worker worker(name, kWorkerMemory,
                [&name](const WorkerOutput& output) { send_results(name, output); });
  const auto header = worker.receive<ResultsHeader>();
  SavedResults results{.method = received_text(worker, header.method_bytes, name),
                       .completeness = received_text(worker, header.completeness_bytes, name),
                       .dimension = header.dimension,
                       .iterations = header.iterations,
                       .products = header.products,
                       .verified = header.verified == 1,
                       .orthogonality = header.orthogonality,
                       .words = header.words};
  for (const TableOfFile& of_file : kTables) {
    const auto extent = worker.receive<TableHeader>();
    if (extent.rows < 0) continue;
    SavedTable table{.name = base::concat(of_file.group, "/", of_file.name),
                     .rows = extent.rows,
                     .columns = extent.columns};
    require_memory(table, name);
    const auto size = static_cast<std::size_t>(table.rows * table.columns);
    if (of_file.real) {
      table.reals.resize(size);
      worker.receive(std::span<double>(table.reals));
      require_finite(table, name);
    } else {
      table.wholes.resize(size);
      worker.receive(std::span<Index>(table.wholes));
    }
    results.tables.push_back(std::move(table));
  }
  require_sizes(results, name);
  return results;
}

}  // namespace cisolve::io
