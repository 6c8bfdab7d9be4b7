#include "app/commands/problem_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <sstream>

#include "app/config/document.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "ci/fock/counting/counting.hpp"
#include "io/files/mapped_file.hpp"
#include "io/matrices/matrix_file.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/problem/molecular_space.hpp"
#include "job/problem/source.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;
using base::ErrorKind;
using base::fail;

constexpr Index kComfortable = 2'000'000;  // determinants; any machine solves these

enum class Contents { matrix_market, hdf5, numpy, integrals, unknown };

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string extension_of(const std::string& path) {
  return lower_case(fs::path(path).extension().string());
}

// "1 1 2 1 -0.43" or "-0.43 1 1 2 1": an integral, as files without a header begin.
bool is_integral(const std::string& line) {
  std::istringstream text(line);
  const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
  if (words.size() != 5) return false;
  const auto is_number = [](const std::string& word) {
    return word.find_first_not_of("0123456789") == std::string::npos;
  };
  const auto is_value = [](const std::string& word) {
    return word.find_first_not_of("0123456789+-.de") == std::string::npos;
  };
  const std::span all(words);
  return (std::ranges::all_of(all.first(4), is_number) && is_value(words.back())) ||
         (std::ranges::all_of(all.last(4), is_number) && is_value(words.front()));
}

// Recognises a file by its first bytes, if its kind has a signature.
Contents contents_of(const std::string& path) {
  std::error_code missing;
  if (!fs::is_regular_file(path, missing)) return Contents::unknown;  // a pipe is read once
  std::array<char, 256> first{};
  std::ifstream file(path, std::ios::binary);
  file.read(first.data(), first.size());
  std::string begin(first.data(), static_cast<std::size_t>(file.gcount()));
  if (begin.starts_with("\x89HDF\r\n\x1a\n")) return Contents::hdf5;
  if (begin.starts_with("PK\x03\x04")) return Contents::numpy;
  if (begin.starts_with("\xEF\xBB\xBF")) begin.erase(0, 3);
  begin.erase(0, std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  begin = lower_case(std::move(begin));
  if (begin.starts_with("%%matrixmarket")) return Contents::matrix_market;
  if (begin.starts_with("&fci") || begin.starts_with("$fci")) return Contents::integrals;
  const std::string line = begin.substr(0, begin.find('\n'));
  return is_integral(line) ? Contents::integrals : Contents::unknown;
}

// Falls back to the name if the content decides nothing, as for an empty file.
Contents kind_of(const std::string& path) {
  const Contents contents = contents_of(path);
  if (contents != Contents::unknown) return contents;
  const std::string extension = extension_of(path);
  if (extension == ".mtx") return Contents::matrix_market;
  if (extension == ".npz") return Contents::numpy;
  return extension == ".h5" || extension == ".hdf5" ? Contents::hdf5 : Contents::unknown;
}

void require_states(const sparse::RowSource& rows, const Configuration& configuration,
                    const base::Backend& host) {
  try {
    job::require_solvable(rows, configuration.request, host);
  } catch (const base::Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    fail(ErrorKind::bad_input, error.what(),
         ", or --set solver.states=0 to describe and multiply it ", "only");
  }
}

std::string named(const Configuration& configuration, const sparse::MatrixShape& shape) {
  return base::concat(job::describe_source(configuration.request), ": ", base::grouped(shape.rows),
                      " x ", base::grouped(shape.columns),
                      configuration.request.solver.states > 0 ? ", symmetric." : ".");
}

GeneratedConfiguration configuration_for_rows(Configuration configuration,
                                              const sparse::RowSource& rows,
                                              const base::Backend& host) {
  if (configuration.request.solver.states > 0) require_states(rows, configuration, host);
  std::string about = named(configuration, rows.shape());
  return {std::move(configuration), std::move(about)};
}

GeneratedConfiguration configuration_for_matrix(Configuration configuration) {
  // A symmetric matrix is read once, by the job.
  const auto ahead = io::peek_shape(configuration.request.matrix);
  if (ahead && ahead->symmetric && ahead->rows > 0)
    return {configuration, named(configuration, *ahead)};
  const base::Backend host = host_of(configuration);
  const auto rows = job::open_rows(configuration.request, host);
  return configuration_for_rows(std::move(configuration), *rows, host);
}

/// Reports both reasons if a file is neither TREXIO nor a matrix.
GeneratedConfiguration configuration_for_matrix_unless(const base::Error& not_trexio,
                                                       Configuration configuration) {
  const base::Backend host = host_of(configuration);
  job::ProblemRows rows;
  try {
    rows = job::open_rows(configuration.request, host);
  } catch (const base::Error& not_matrix) {
    // The file was a matrix as far as it was read.
    if (not_matrix.kind() == ErrorKind::resources) throw;
    fail(ErrorKind::bad_input, not_trexio.what(), "\nas a matrix: ", not_matrix.what());
  }
  return configuration_for_rows(std::move(configuration), *rows, host);
}

GeneratedConfiguration configuration_for_hdf5(const Invocation& call) {
  try {
    return configuration_for_determinants(
        configuration_for_source(job::ProblemSource::trexio, "problem.trexio", call));
  } catch (const base::Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    return configuration_for_matrix_unless(
        error, configuration_for_source(job::ProblemSource::matrix, "problem.matrix", call));
  }
}

}  // namespace

base::Backend host_of(const Configuration& configuration) {
  return job::open_backend(configuration.request, base::name_of(base::BackendKind::openmp));
}

Configuration configuration_for_source(job::ProblemSource source, const char* key,
                                       const Invocation& call) {
  std::vector<Override> overrides;
  if (key != nullptr) overrides.push_back({call.input, key, call.input});
  overrides.insert(overrides.end(), call.overrides.begin(), call.overrides.end());
  return make_configuration(source, overrides);
}

// Full CI below kComfortable determinants, else CISD.
GeneratedConfiguration configuration_for_determinants(Configuration configuration) {
  const io::FcidumpOutline problem =
      job::outline_problem(configuration.request, host_of(configuration));
  const int orbitals = problem.orbitals;
  std::string about = base::concat(job::describe_source(configuration.request), " (",
                                   problem.dialect, "): ", base::counted(orbitals, "orbital"), ", ",
                                   problem.alpha, " alpha and ", problem.beta, " beta electrons");
  const ci::Window window = job::chosen_window(configuration.request, orbitals);
  const ci::WindowElectrons inside =
      job::chosen_electrons(configuration.request, window, orbitals, problem.alpha, problem.beta);
  const auto count = ci::count_full_ci({.orbitals = static_cast<int>(std::ssize(window.active)),
                                        .alpha_electrons = inside.alpha,
                                        .beta_electrons = inside.beta})
                         .determinants;
  const bool comfortable = count < ci::BigCount(kComfortable);
  if (!comfortable && !configuration.given.contains("space.kind"))
    configuration.request.space.kind = job::SpaceKind::cisd;
  const auto exact = count.to_index();
  about += base::concat(
      ".\nFull CI has ", exact ? base::grouped(*exact) : base::brief(count.to_double()),
      exact == 1 ? " determinant" : " determinants", comfortable ? "." : "; start with CISD.");
  return {std::move(configuration), std::move(about)};
}

// An HDF5 file is identified by its content; an unknown text is read as FCIDUMP.
GeneratedConfiguration configuration_for_file(const Invocation& call) {
  io::require_regular_file(call.input);
  require_no_geometry(call.input);
  switch (kind_of(call.input)) {
    case Contents::matrix_market:
    case Contents::numpy:
      return configuration_for_matrix(
          configuration_for_source(job::ProblemSource::matrix, "problem.matrix", call));
    case Contents::hdf5: return configuration_for_hdf5(call);
    case Contents::integrals:
    case Contents::unknown: break;
  }
  return configuration_for_determinants(
      configuration_for_source(job::ProblemSource::fcidump, "problem.fcidump", call));
}

std::vector<std::string> shown_keys(const Configuration& configuration) {
  std::vector<std::string> keys{"solver.states", "solver.tolerance", "output.directory"};
  if (job::has_determinants(configuration.request))
    keys.insert(keys.begin(), {"space.kind", "space.frozen"});
  if (configuration.request.source == job::ProblemSource::lattice)
    keys.insert(keys.begin(), {"problem.lattice.model", "problem.lattice.columns",
                               "problem.lattice.rows", "problem.lattice.t", "problem.lattice.u"});
  if (configuration.request.source == job::ProblemSource::generate)
    keys.insert(keys.begin(), {"problem.generate.rows", "problem.generate.density",
                               "problem.generate.symmetric"});
  return keys;
}

bool is_problem_file(const std::string& path) {
  const std::string extension = extension_of(path);
  for (const char* known : {".fcidump", ".mtx", ".h5", ".hdf5", ".npz"})
    if (extension == known) return true;
  return !is_named_as_configuration(path) && contents_of(path) != Contents::unknown;
}

bool holds_integrals(const std::string& path) {
  return extension_of(path) == ".fcidump" || contents_of(path) == Contents::integrals;
}

bool is_named_as_configuration(const std::string& path) {
  const std::string extension = extension_of(path);
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

}  // namespace cisolve::app
