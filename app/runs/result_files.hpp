#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/config/configuration.hpp"
#include "io/results/results.hpp"
#include "job/states/properties.hpp"
#include "solver/task/result.hpp"
#include "solver/verification/verify.hpp"

// Result files of a solved job, other than run.json.
namespace cisolve::app {

/// Names of the requested files: results.h5 and, by output.history and output.trexio, history.csv
/// and states.trexio.h5, and orbital_file_names().
std::vector<std::string> result_file_names(const Configuration& configuration);

std::vector<std::string> all_result_file_names();

/// Removes result files of an earlier job that this one replaces but does not rewrite.
void remove_unwritten_results(const Configuration& configuration,
                              const std::vector<std::string>& earlier);

/// A result without its vectors, densities and provenance.
io::StoredResults stored_results(const solver::Result& result,
                                 const solver::Verification& verification);

/// The properties of states that were computed; none if they were left out.
std::optional<io::StoredProperties> stored_properties(const job::StateProperties& properties);

std::string history_as_csv(const std::vector<solver::Iteration>& history);

/// Paths of the result files.
std::filesystem::path results_path(const Configuration& configuration);
std::filesystem::path history_path(const Configuration& configuration);
std::filesystem::path trexio_path(const Configuration& configuration);

/// Now, as 2026-01-31T23:59:59Z.
std::string utc_time();

}  // namespace cisolve::app
