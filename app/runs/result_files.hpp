#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/config/configuration.hpp"
#include "io/results/results.hpp"
#include "job/run/outcome.hpp"
#include "solver/task/result.hpp"
#include "solver/verification/verify.hpp"

// What a solved job leaves beside its record run.json.
namespace cisolve::app {

/// The names of the files that a configuration asks for: results.h5 and, by output.history and
/// output.trexio, history.csv and states.trexio.h5.
std::vector<std::string> result_file_names(const Configuration& configuration);

/// Removes those that an earlier job of other wishes has left, where this job replaces its results.
void remove_unwritten_results(const Configuration& configuration);

/// Each appears whole or not at all.
void write_result_files(const Configuration& configuration, const job::Outcome& found,
                        io::Provenance provenance, bool overwrite);

/// From what and by what a job that ends now was solved; the times of its phases are still to come.
io::Provenance provenance_of(const Configuration& configuration, const base::Backend& backend,
                             std::string started);

/// Now, as 2026-01-31T23:59:59Z.
std::string utc_time();

}  // namespace cisolve::app
