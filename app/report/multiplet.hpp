#pragma once

#include <string>

#include "app/json/json.hpp"
#include "solver/task/result.hpp"
#include "solver/verification/verify.hpp"

// Whether the states end within a multiplet, for people and for programs.
namespace cisolve::app {

using base::Index;

/// That other states share the energy of the last one, and how many to ask for; empty where none
/// is known to.
std::string cut_multiplet(const solver::Result& result, const solver::Verification& verification);

/// That it is not known whether there are such states, and why; empty where it is.
std::string unknown_multiplet(const solver::Result& result,
                              const solver::Verification& verification);

Json multiplet_record(const solver::Result& result, const solver::Verification& verification);

}  // namespace cisolve::app
