#include "app/runs/result_files.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <limits>
#include <optional>

#include "app/config/save.hpp"
#include "app/report/states.hpp"
#include "app/runs/input_identity.hpp"
#include "app/runs/natural_integrals.hpp"
#include "app/runs/orbital_files.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "ci/fock/integrals/same_orbitals.hpp"
#include "io/files/output_file.hpp"
#include "job/problem/determinant_problem.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResults = "results.h5";
constexpr const char* kHistory = "history.csv";
constexpr const char* kTrexio = "states.trexio.h5";

}  // namespace

io::StoredResults stored_results(const solver::Result& result,
                                 const solver::Verification& verification) {
  io::StoredResults results{.method = name_of(result.method),
                            .dimension = result.vectors.rows(),
                            .iterations = result.iterations,
                            .products = result.products,
                            .verified = verification.passed,
                            .orthogonality = verification.orthogonality,
                            .completeness = name_of(verification.completeness)};
  for (std::size_t j = 0; j < result.states.size(); ++j) {
    const solver::State& state = result.states[j];
    results.states.push_back({.energy = state.energy,
                              .residual = state.residual,
                              .error_bound = state.error_bound,
                              .verified_residual = verification.states[j].residual,
                              .converged = state.status == solver::Status::converged});
  }
  for (const solver::Iteration& iteration : result.history)
    results.history.push_back({.number = iteration.number,
                               .subspace = iteration.subspace,
                               .products = iteration.products,
                               .searching = iteration.searching,
                               .energies = iteration.energies,
                               .residuals = iteration.residuals});
  return results;
}

std::optional<io::StoredProperties> stored_properties(const job::StateProperties& properties) {
  if (properties.states.empty()) return std::nullopt;
  constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  io::StoredProperties stored;
  for (std::size_t k = 0; k < properties.operators.size(); ++k) {
    const ci::OneElectronOperator& one = properties.operators[k];
    std::string components;
    for (const std::string& name : one.components)
      components += (components.empty() ? "" : " ") + name;
    io::StoredProperty& kept =
        stored.properties.emplace_back(io::StoredProperty{.name = one.name,
                                                          .components = std::move(components),
                                                          .unit = one.unit,
                                                          .antisymmetric = one.antisymmetric});
    if (!one.antisymmetric)
      for (const auto& state : properties.states) kept.states.push_back(state[k]);
    for (const job::Transition& transition : properties.transitions)
      kept.from_first.push_back(transition.moments[k]);
  }
  for (const std::string& atom : properties.atoms)
    stored.populations.atoms += (stored.populations.atoms.empty() ? "" : " ") + atom;
  for (const job::Populations& one : properties.populations) {
    stored.populations.mulliken_charges.push_back(one.mulliken.charges);
    stored.populations.mulliken_spins.push_back(one.mulliken.spins);
    stored.populations.loewdin_charges.push_back(one.loewdin.charges);
    stored.populations.loewdin_spins.push_back(one.loewdin.spins);
  }
  const auto has = [&](std::string_view name) {
    return ci::operator_named(properties.operators, name) != nullptr;
  };
  for (const job::Transition& one : properties.transitions) {
    stored.energies.push_back(one.energy);
    if (has(ci::kDipole))
      stored.length_strengths.push_back(one.length_strength.value_or(undefined));
    if (has(ci::kVelocity))
      stored.velocity_strengths.push_back(one.velocity_strength.value_or(undefined));
  }
  return stored;
}

namespace {

std::string joined(const char* name, std::size_t count) {
  std::string text;
  for (std::size_t j = 1; j <= count; ++j) text += base::concat(",", name, j);
  return text;
}

// Values as fields; empty if the state did not exist yet.
std::string fields(const std::vector<double>& values, std::size_t count) {
  std::string text;
  for (std::size_t j = 0; j < count; ++j)
    text += j < values.size() ? "," + base::shortest(values[j]) : ",";
  return text;
}

}  // namespace

std::string history_as_csv(const std::vector<solver::Iteration>& history) {
  std::size_t energies = 0;
  std::size_t residuals = 0;
  for (const solver::Iteration& iteration : history) {
    energies = std::max(energies, iteration.energies.size());
    residuals = std::max(residuals, iteration.residuals.size());
  }
  std::string text = "iteration,subspace,products,searching" + joined("energy_", energies) +
                     joined("residual_", residuals) + "\n";
  for (const solver::Iteration& iteration : history)
    text += base::concat(iteration.number, ",", iteration.subspace, ",", iteration.products, ",",
                         iteration.searching ? 1 : 0, fields(iteration.energies, energies),
                         fields(iteration.residuals, residuals), "\n");
  return text;
}

std::vector<std::string> result_file_names(const Configuration& configuration) {
  if (configuration.request.solver.states == 0) return {};
  if (configuration.output.trexio && !job::has_determinants(configuration.request))
    base::fail(base::ErrorKind::configuration, configuration.request.origin,
               ": output.trexio is true, but ",
               "this problem has no determinants; expected fcidump, trexio or lattice under ",
               "'problem:', or output.trexio: false");
  std::vector<std::string> names{kResults};
  if (configuration.output.history) names.emplace_back(kHistory);
  if (configuration.output.trexio) names.emplace_back(kTrexio);
  for (std::string& name : orbital_file_names(configuration)) names.push_back(std::move(name));
  if (configuration.output.natural_fcidump.of != NaturalOf::none &&
      job::has_determinants(configuration.request))
    names.insert(names.end(), {kNaturalFcidump, kNaturalOperators});
  return names;
}

std::vector<std::string> all_result_file_names() {
  return {kResults, kHistory, kTrexio, kNaturalFcidump, kNaturalOperators};
}

void remove_unwritten_results(const Configuration& configuration,
                              const std::vector<std::string>& earlier) {
  const std::vector<std::string> written = result_file_names(configuration);
  std::error_code ignored;
  for (const std::string& name : earlier) {
    const fs::path file = fs::path(configuration.output.directory) / name;
    const job::Request& request = configuration.request;
    const std::initializer_list<std::string> inputs = {request.space.determinants.file(),
                                                       request.fcidump, request.operators.file()};
    const bool is_input = std::ranges::any_of(
        inputs, [&](const std::string& input) { return fs::equivalent(file, input, ignored); });
    if (!is_input && std::ranges::find(written, name) == written.end()) fs::remove(file, ignored);
  }
}

fs::path results_path(const Configuration& configuration) {
  return fs::path(configuration.output.directory) / kResults;
}
fs::path history_path(const Configuration& configuration) {
  return fs::path(configuration.output.directory) / kHistory;
}
fs::path trexio_path(const Configuration& configuration) {
  return fs::path(configuration.output.directory) / kTrexio;
}

std::string utc_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

}  // namespace cisolve::app
