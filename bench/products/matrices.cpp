#include "bench/products/matrices.hpp"

#include <algorithm>

#include "app/config/load.hpp"
#include "base/error.hpp"
#include "bench/products/lattices.hpp"
#include "bench/products/length_rows.hpp"
#include "io/matrices/matrix_file.hpp"
#include "job/problem/source.hpp"
#include "sparse/generate/generator.hpp"

namespace cisolve::bench {
namespace {

using Matrices = std::vector<NamedMatrix>;

NamedMatrix generated(std::string name, const sparse::GeneratorOptions& options) {
  return {std::move(name), [options](const base::Backend& host) {
            return sparse::build_csr(sparse::GeneratedRows(options, host), host);
          }};
}

NamedMatrix drawn(std::string name, const LengthStatistics& statistics) {
  return {std::move(name), [statistics](const base::Backend& host) {
            return sparse::build_csr(LengthRows(statistics), host);
          }};
}

/// The ten matrices of the 2018 paper: 655 non-zeros of each row in the leading tenth of the
/// columns, and the numbers of its Table 3 elsewhere.
Matrices paper() {
  constexpr Index rows = 32768;
  constexpr Index expansion_columns = 29491;
  const Index expansion[] = {9678327, 9673031, 9666827, 9670529, 9669733,
                             9673530, 9666857, 9670234, 9661419, 9670316};
  Matrices list;
  for (std::uint64_t number = 1; number <= std::size(expansion); ++number) {
    const double places = static_cast<double>(rows) * static_cast<double>(expansion_columns);
    list.push_back(generated(base::concat("paper-", number),
                             {.rows = rows,
                              .reference_share = 0.1,
                              .reference_per_row = 655,
                              .density = static_cast<double>(expansion[number - 1]) / places,
                              .spread = 29,
                              .seed = number}));
  }
  return list;
}

/// Three matrices of 1,048,576 rows; the first has half and the last twice the density of the
/// second.
Matrices million() {
  Matrices list;
  for (const Index part : {1, 2, 4}) {
    const Index expansion = 47 * part;
    list.push_back(generated(base::concat("million-", 147 * part),
                             {.rows = 1048576,
                              .reference_share = 0.1,
                              .reference_per_row = 100 * part,
                              .density = static_cast<double>(expansion) / (0.9 * 1048576),
                              .spread = 10.0 * static_cast<double>(part),
                              .seed = static_cast<std::uint64_t>(part)}));
  }
  return list;
}

/// The sizes, mean row lengths and deviations of the table of matrices in the LightSpMV poster.
Matrices lightspmv() {
  struct Entry {
    const char* name;
    Index rows;
    Index columns;
    Index nonzeros;
    double deviation;
  };
  const Entry table[] = {
      {"webbase-1M", 1000005, 1000005, 3105536, 25},
      {"dblp-2010", 326186, 326186, 1615400, 8},
      {"in-2004", 1382908, 1382908, 16917053, 37},
      {"uk-2002", 18520486, 18520486, 298113762, 28},
      {"cop20k_A", 121192, 121192, 2624331, 14},
      {"eu-2005", 862664, 862664, 19235140, 29},
      {"indochina-2004", 7414866, 7414866, 194109311, 216},
      {"nlpkkt120", 3542400, 3542400, 96845792, 3},
      {"qcd5_4", 49152, 49152, 1916928, 0},
      {"rma10", 46835, 46835, 2374001, 28},
      {"pwtk", 217918, 217918, 11634424, 5},
      {"shipsec1", 140874, 140874, 7813404, 11},
      {"kron_g500-logn21", 2097152, 2097152, 182082942, 756},
      {"rail4284", 4284, 1092610, 11279748, 4210},
  };
  Matrices list;
  for (const Entry& entry : table)
    list.push_back(drawn(
        base::concat("like-", entry.name),
        {entry.rows, entry.columns,
         static_cast<double>(entry.nonzeros) / static_cast<double>(entry.rows), entry.deviation}));
  list.push_back(drawn("tall", {1000000, 4000, 11, 4}));
  list.push_back(drawn("wide", {1000, 1000000, 11000, 4000}));
  return list;
}

/// Matrices of the report on OpenMP and CUDA: one too small for threads, a mesh of uneven rows, one
/// of even rows, and a graph. The report gives mean absolute deviations, about 0.8 of standard
/// ones; they are used unchanged.
Matrices report() {
  return {
      drawn("like-cage4", {9, 9, 49.0 / 9, 0.5}),
      drawn("like-cant", {62451, 62451, 4007383.0 / 62451, 0.252 * 4007383 / 62451}),
      drawn("like-ML_Laplace", {377002, 377002, 27582698.0 / 377002, 0.0181 * 27582698 / 377002}),
      drawn("like-1M", {1000005, 1000005, 3105536.0 / 1000005, 0.75 * 3105536 / 1000005})};
}

NamedMatrix of_configuration(std::string name, std::function<app::Configuration()> load) {
  return {std::move(name), [load = std::move(load)](const base::Backend& host) {
            return sparse::build_csr(*job::open_rows(load().request, host), host);
          }};
}

/// Spaces of the integral files in `data`, as a configuration would name them.
Matrices ci(const std::filesystem::path& data) {
  struct Entry {
    const char* name;
    const char* file;
    std::vector<std::pair<std::string, std::string>> keys;
  };
  const std::vector<Entry> table{
      {"h8-fci", "h8_sto6g.fcidump", {{"space.kind", "fci"}}},
      {"n2-fci", "n2_sto6g.fcidump", {{"space.kind", "fci"}}},
      {"h2o-cisd",
       "h2o_ccpvdz_headerless.dat",
       {{"problem.electrons", "10"}, {"space.kind", "cisd"}}},
      {"c2-cisdt", "c2_cas_pvdz.fcidump", {{"space.kind", "cisdt"}}},
      {"h14-mrci",
       "h14_chain.fcidump",
       {{"space.kind", "mrci"},
        {"space.level", "3"},
        {"space.references", "['22222220000000', '22222202000000', '2222220ud00000']"}}},
      {"h14-ras",
       "h14_chain.fcidump",
       {{"space.kind", "ras"},
        {"space.ras1", "4"},
        {"space.ras2", "6"},
        {"space.holes", "2"},
        {"space.particles", "2"}}},
      {"h2o-cisdt",
       "h2o_ccpvdz_headerless.dat",
       {{"problem.electrons", "10"}, {"space.kind", "cisdt"}}},
      {"h14-cisdtq", "h14_chain.fcidump", {{"space.kind", "cisdtq"}}},
      {"h12-level-6", "h12_chain.fcidump", {{"space.kind", "ci"}, {"space.level", "6"}}},
      {"h12-fci", "h12_chain.fcidump", {{"space.kind", "fci"}}},
      {"c-fci", "c_atom.fcidump", {{"space.kind", "fci"}}},
  };
  Matrices list;
  for (const Entry& entry : table) {
    std::vector<app::Override> overrides{
        {"the ci suite", "problem.fcidump", (data / entry.file).string()}};
    for (const auto& [key, value] : entry.keys)
      overrides.push_back({"the ci suite", key, value, true});
    list.push_back(of_configuration(entry.name, [overrides] {
      return app::make_configuration(job::ProblemSource::fcidump, overrides);
    }));
  }
  return list;
}

/// 4,194,304 rows of full diagonals: bands, one of them symmetric, and scattered diagonals.
Matrices diagonals() {
  struct Entry {
    const char* name;
    sparse::GeneratedPattern pattern;
    Index diagonals;
    bool symmetric;
  };
  using Pattern = sparse::GeneratedPattern;
  const Entry table[] = {{"band-9", Pattern::banded, 9, false},
                         {"scattered-9", Pattern::diagonals, 9, false},
                         {"band-27", Pattern::banded, 27, false},
                         {"band-101", Pattern::banded, 101, false},
                         {"symmetric-101", Pattern::banded, 101, true}};
  Matrices list;
  for (const auto& [name, pattern, count, symmetric] : table)
    list.push_back(generated(name, {.rows = 4'194'304,
                                    .reference_share = 0,
                                    .seed = 1,
                                    .symmetric = symmetric,
                                    .pattern = pattern,
                                    .diagonals = count}));
  return list;
}

/// Seconds on two cores.
Matrices quick() {
  return {
      drawn("tiny", {9, 9, 49.0 / 9, 0.5}), drawn("short rows", {100000, 100000, 4, 6}),
      drawn("wide", {500, 100000, 2000, 1000}),
      generated("ci-like",
                {.rows = 8192, .reference_per_row = 160, .density = 0.01, .spread = 9, .seed = 1})};
}

void append(Matrices& all, Matrices more) { std::ranges::move(more, std::back_inserter(all)); }

}  // namespace

const std::vector<std::string>& suite_names() {
  static const std::vector<std::string> names{
      "paper", "million", "ci", "lattices", "seeds", "lightspmv", "report", "diagonals", "quick"};
  return names;
}

std::vector<NamedMatrix> suite(const std::string& name, const std::filesystem::path& data) {
  if (name == "paper") return paper();
  if (name == "million") return million();
  if (name == "ci") return ci(data);
  if (name == "lattices") return lattices();
  if (name == "lightspmv") return lightspmv();
  if (name == "report") return report();
  if (name == "diagonals") return diagonals();
  if (name == "quick") return quick();
  if (name == "seeds") {
    Matrices all = paper();
    append(all, million());
    append(all, lightspmv());
    append(all, report());
    return all;
  }
  base::fail(
      base::ErrorKind::usage, "unknown suite '", name,
      "'; expected paper, million, ci, lattices, seeds, lightspmv, report, diagonals or quick");
}

NamedMatrix matrix_by_name(const std::string& name, const std::filesystem::path& data) {
  const std::string extension = std::filesystem::path(name).extension().string();
  if (extension == ".mtx" || extension == ".h5" || extension == ".hdf5")
    return {name, [name](const base::Backend& host) { return io::read_matrix(name, host); }};
  if (extension == ".yaml" || extension == ".yml")
    return of_configuration(name, [name] { return app::load_configuration(name, {}); });
  for (const std::string& each : suite_names())
    for (NamedMatrix& matrix : suite(each, data))
      if (matrix.name == name) return std::move(matrix);
  base::fail(base::ErrorKind::usage, "unknown matrix '", name,
             "'; expected a file (.mtx, .h5, .hdf5, .yaml) or the name of a matrix of a suite");
}

}  // namespace cisolve::bench
