#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "job/request/machine_factors.hpp"

// Rates measured by `ci-solve devices --calibrate`: one small file for each device and program
// version, in the user's cache folder.
namespace cisolve::app {

/// $XDG_CACHE_HOME/ci-solve or ~/.cache/ci-solve; empty if neither variable is set.
std::filesystem::path rates_folder();

/// Model name of the processor: rates of the host apply to it alone.
std::string processor_name();

/// Loads all rates of this version and machine. Damaged files and impossible values are ignored: a
/// job never fails because of them.
job::MachineFactorsByName machine_rates();

/// Throws ErrorKind::cannot_write if rates could not be saved; called before they are measured.
void require_rates_folder(const std::string& name);

/// Saves the rates and returns the file. Throws ErrorKind::cannot_write.
std::filesystem::path save_machine_rates(const std::string& name,
                                         const job::MachineFactors& factors);

}  // namespace cisolve::app
