#pragma once

#include <iosfwd>
#include <vector>

#include "app/json/json.hpp"
#include "job/states/state_analysis.hpp"
#include "solver/task/result.hpp"

// Reference energies and corrections of Davidson's kind.
namespace cisolve::app {

/// Prints them for each state; nothing where the space has none.
void write_size_corrections(std::ostream& out, const job::StateAnalysis& analysis,
                            const solver::Result& result);

/// The members of a state: reference_energy, davidson_q, renormalised_q and pople_q, each null
/// where it is not defined.
std::vector<Json::Member> size_correction_members(const job::StateDescription& state);

}  // namespace cisolve::app
