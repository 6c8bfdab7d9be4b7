#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "job/request/pace.hpp"

// What `ci-solve devices --calibrate` has measured on this machine: a small file for each device
// and version of the program, in the user's folder for what can be made anew.
namespace cisolve::app {

/// $XDG_CACHE_HOME/ci-solve or ~/.cache/ci-solve; empty where neither is known.
std::filesystem::path rates_folder();

/// The processor, since rates of the host are those of one machine.
std::string processor_name();

/// All that were kept by this version for this machine. A file that is none, or says what no
/// machine does, is as one that is not there: a job never fails for it.
job::Paces kept_rates();

/// Before they are measured: throws Fault::cannot_write where they could not be kept.
void require_kept_rates(const std::string& name);

/// Where they now are. Throws Fault::cannot_write.
std::filesystem::path keep_rates(const std::string& name, const job::Pace& pace);

}  // namespace cisolve::app
