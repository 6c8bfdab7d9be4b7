#include <filesystem>
#include <iostream>
#include <set>

#include "app/config/load.hpp"
#include "base/error.hpp"
#include "bench/eigensolvers/test_problems.hpp"
#include "job/problem/source.hpp"
#include "sparse/formats/csr.hpp"

namespace cisolve::bench {
namespace {

using app::Override;

/// Settings of an integral file, and its number of states.
struct ProblemSize {
  const char* file;
  std::vector<Override> overrides;
  int states;
};

std::vector<ProblemSize> problem_sizes() {
  const auto set = [](const char* key, const char* value) {
    return Override{"bench", key, value, true};
  };
  return {
      {"h2o_ccpvdz_headerless.dat", {set("problem.electrons", "10"), set("space.kind", "cisd")}, 2},
      {"n2_sto3g.fcidump", {}, 4},
      {"o2.fcidump", {}, 3},
      {"n2_3a_localised.fcidump", {}, 3},
      {"h8_sto6g.fcidump", {}, 2},
      {"hubbard_l8.fcidump", {}, 2},
      {"he2.fcidump", {}, 2}};
}

void skip(const std::string& name, const std::string& why) {
  std::cerr << "skipped " << name << ": " << why << '\n';
}

void add(std::vector<TestProblem>& problems, const std::string& name,
         const app::Configuration& configuration, int states, Index most_rows,
         const base::Backend& host) {
  const auto rows = job::open_rows(configuration.request, host);
  const Index dimension = rows->shape().rows;
  if (!rows->shape().symmetric) return skip(name, "not symmetric");
  if (dimension > most_rows || dimension < 4 * states)
    return skip(name, std::to_string(dimension) + " rows");
  problems.push_back(
      {name, "ci", std::make_shared<sparse::Csr>(sparse::build_csr(*rows, host)), states});
}

/// The files of a folder in the order of their names.
std::set<std::filesystem::path> files_in(const std::string& folder) {
  if (folder.empty() || !std::filesystem::is_directory(folder)) {
    skip(folder.empty() ? "the folder of integral files" : folder, "not there");
    return {};
  }
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path());
  return files;
}

}  // namespace

std::vector<TestProblem> ci_problems(const std::string& data, const std::string& configs,
                                     Index most_rows, const base::Backend& host) {
  std::vector<TestProblem> problems;
  for (const auto& file : files_in(data)) {
    if (file.extension() != ".fcidump" && file.extension() != ".dat") continue;
    const std::string name = file.filename().string();
    std::vector<Override> overrides{{"bench", "problem.fcidump", file.string(), false}};
    int states = 1;
    for (const ProblemSize& entry : problem_sizes())
      if (name == entry.file) {
        overrides.insert(overrides.end(), entry.overrides.begin(), entry.overrides.end());
        states = entry.states;
      }
    try {
      add(problems, name, app::make_configuration(job::ProblemSource::fcidump, overrides), states,
          most_rows, host);
    } catch (const base::Error& error) {
      skip(name, error.what());
    }
  }
  for (const auto& file : files_in(configs)) {
    if (file.extension() != ".yaml") continue;
    const auto configuration = app::load_configuration(file.string(), {});
    if (configuration.request.solver.states > 0)
      add(problems, file.filename().string(), configuration,
          static_cast<int>(configuration.request.solver.states), most_rows, host);
  }
  return problems;
}

}  // namespace cisolve::bench
