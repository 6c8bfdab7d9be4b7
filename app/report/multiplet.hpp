#pragma once

#include <string>

#include "app/json/json.hpp"
#include "solver/task/result.hpp"
#include "solver/verification/verify.hpp"

// Whether the last state shares its energy with states that were not computed; as text and as JSON.
namespace cisolve::app {

using base::Index;

/// Message that further states share the last energy, and how many to request; empty if none is
/// known.
std::string cut_multiplet(const solver::Result& result, const solver::Verification& verification);

/// Message that this is not known, and why; empty if it is known.
std::string unknown_multiplet(const solver::Result& result,
                              const solver::Verification& verification);

Json multiplet_record(const solver::Result& result, const solver::Verification& verification);

}  // namespace cisolve::app
