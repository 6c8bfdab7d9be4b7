#include <filesystem>
#include <ostream>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/config/template.hpp"
#include "app/job/folder.hpp"
#include "app/job/molecular_space.hpp"
#include "app/job/molecule.hpp"
#include "app/job/source.hpp"
#include "app/report/number.hpp"
#include "base/error.hpp"
#include "ci/counting.hpp"
#include "io/mapped_file.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;
using base::fail;
using base::Fault;

constexpr Index kComfortable = 2'000'000;  // determinants that anybody's machine solves

/// A configuration for a problem, and what was learnt of the problem, for people.
struct Draft {
  Configuration configuration;
  std::string about;
};

Configuration made(ProblemSource source, const char* key, const Invocation& call) {
  std::vector<Override> overrides;
  if (key != nullptr) overrides.push_back({call.input, key, call.input});
  overrides.insert(overrides.end(), call.overrides.begin(), call.overrides.end());
  return make_configuration(source, overrides);
}

// Full CI where that is no great work, CISD where it would be.
Draft molecular(Configuration configuration, const base::Backend& host) {
  const io::MolecularProblem problem = open_problem(configuration, host);
  const int orbitals = problem.integrals.orbitals();
  std::string about =
      base::concat(describe_source(configuration), " (", problem.dialect, "): ", orbitals,
                   " orbitals, ", problem.alpha, " alpha and ", problem.beta, " beta electrons");
  const ci::Window window = chosen_window(configuration.space, orbitals);
  const ci::WindowElectrons inside = ci::electrons_in(window, problem.alpha, problem.beta);
  const auto count = ci::count_full_ci({.orbitals = static_cast<int>(std::ssize(window.active)),
                                        .alpha_electrons = inside.alpha,
                                        .beta_electrons = inside.beta})
                         .determinants;
  const bool comfortable = count < ci::BigCount(kComfortable);
  if (!comfortable && configuration.space.kind == "fci") configuration.space.kind = "cisd";
  const auto exact = count.to_index();
  about += base::concat(".\nFull CI has ", exact ? grouped(*exact) : brief(count.to_double()),
                        " determinants", comfortable ? "." : "; CISD is where to begin.");
  return {std::move(configuration), std::move(about)};
}

// A matrix without real eigenvalues has a product all the same.
Draft matrix(Configuration configuration, const base::Backend& host) {
  const auto rows = open_rows(configuration, host);
  const sparse::MatrixShape shape = rows->shape();
  std::string about = base::concat(describe_source(configuration), ": ", grouped(shape.rows), " x ",
                                   grouped(shape.columns));
  try {
    require_solvable(*rows, configuration, host);
    about += ", symmetric.";
  } catch (const base::Error& error) {
    if (error.fault() != Fault::bad_input) throw;
    configuration.solver.states = 0;
    about += ", not symmetric:\nit is described and multiplied, but has no states.";
  }
  return {std::move(configuration), std::move(about)};
}

// An HDF5 file is asked what it is; a text that is no Matrix Market file is taken for an FCIDUMP.
Draft from_file(const Invocation& call, const base::Backend& host) {
  constexpr std::string_view hdf5 = "\x89HDF\r\n\x1a\n";
  std::string begin;
  {
    const io::MappedFile file(call.input);
    begin = std::string(file.text().substr(0, 16));
  }
  if (begin.starts_with("%%MatrixMarket"))
    return matrix(made(ProblemSource::matrix, "problem.matrix", call), host);
  if (!begin.starts_with(hdf5))
    return molecular(made(ProblemSource::fcidump, "problem.fcidump", call), host);
  try {
    return molecular(made(ProblemSource::trexio, "problem.trexio", call), host);
  } catch (const base::Error& not_trexio) {
    if (not_trexio.fault() != Fault::bad_input) throw;
    try {
      return matrix(made(ProblemSource::matrix, "problem.matrix", call), host);
    } catch (const base::Error& not_matrix) {
      fail(Fault::bad_input, not_trexio.what(), "\nnor is it a matrix: ", not_matrix.what());
    }
  }
}

Draft draft_of(const Invocation& call, const base::Backend& host) {
  if (call.input == "lattice") {
    Configuration lattice = made(ProblemSource::lattice, nullptr, call);
    return molecular(std::move(lattice), host);
  }
  if (call.input == "generate")
    return {made(ProblemSource::generate, nullptr, call),
            "A matrix with the structure of a CI matrix."};
  return from_file(call, host);
}

// As seen from the configuration, which may lie in another folder.
void point_to(const fs::path& output, std::string& file) {
  if (file.empty()) return;
  const fs::path seen =
      fs::absolute(file).lexically_relative(fs::absolute(output).lexically_normal().parent_path());
  file = seen.empty() ? fs::absolute(file).string() : seen.string();
}

std::string comment(const std::string& text) {
  std::string result = "#";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && i > 0) result += '#';
    if (begins && text[i] != '\n') result += ' ';
    result += text[i];
  }
  return result + "\n";
}

std::vector<std::string> shown_keys(const Configuration& configuration) {
  std::vector<std::string> keys{"solver.states", "solver.tolerance", "output.directory"};
  if (is_molecular(configuration)) keys.insert(keys.begin(), {"space.kind", "space.frozen"});
  if (configuration.source == ProblemSource::lattice)
    keys.insert(keys.begin(), {"problem.lattice.model", "problem.lattice.columns",
                               "problem.lattice.rows", "problem.lattice.t", "problem.lattice.u"});
  if (configuration.source == ProblemSource::generate)
    keys.insert(keys.begin(), {"problem.generate.rows", "problem.generate.density",
                               "problem.generate.symmetric"});
  return keys;
}

}  // namespace

Outcome init(const Invocation& call, std::ostream& out) {
  const std::string stem = fs::path(call.input).stem().string();
  const std::string output = call.output.empty() ? stem + ".yaml" : call.output;
  require_writable(output, call.force);
  const base::Backend host = base::Backend::openmp();
  Draft draft = draft_of(call, host);
  Configuration& configuration = draft.configuration;
  if (configuration.source == ProblemSource::generate) {
    configuration.generate.symmetric = true;  // so that it has states
    configuration.storage.format = "hybrid";
  }
  if (configuration.output.directory == Configuration{}.output.directory)
    configuration.output.directory = "out/" + stem;
  for (std::string* file :
       {&configuration.fcidump, &configuration.trexio, &configuration.matrix,
        &configuration.space.determinants, &configuration.space.alpha, &configuration.space.beta})
    point_to(output, *file);
  write_text_file(
      output,
      comment(draft.about + "\n\n  ci-solve check " + output + "\n  ci-solve " + output) +
          commented_configuration(configuration, shown_keys(configuration)),
      call.force);
  out << draft.about << "\nwrote " << output << "; next: ci-solve " << output << '\n';
  return {ExitCode::success, record({{"file", output}})};
}

}  // namespace cisolve::app
