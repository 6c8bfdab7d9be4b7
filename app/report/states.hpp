#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/json/json.hpp"
#include "job/run/selection.hpp"
#include "job/states/state_analysis.hpp"
#include "solver/task/result.hpp"
#include "solver/verification/verify.hpp"

// Eigenstates and their verification, for people and for programs.
namespace cisolve::app {

const char* name_of(solver::Method method);
const char* name_of(solver::Completeness completeness);

void write_states(std::ostream& out, const solver::Result& result,
                  const solver::Verification& verification);
/// What may be relied on, in a line or two.
void write_verdict(std::ostream& out, const solver::Result& result,
                   const solver::Verification& verification, double tolerance);

/// What a user should know before the states are used: that more of them share an energy, or that
/// one may have been missed.
std::vector<std::string> doubts_of(const solver::Result& result,
                                   const solver::Verification& verification);

/// What the completeness of the states rests on, or why it is not known.
std::string completeness_reason(const solver::Result& result,
                                const solver::Verification& verification);

Json solver_record(const solver::Result& result);
/// The iterations, a list for each quantity.
Json history_record(const solver::Result& result, double tolerance);
/// With what the states are where that is known; a plain matrix says nothing of it.
Json states_record(const solver::Result& result, const job::StateAnalysis* analysis,
                   const job::Selection* selection = nullptr);
Json verification_record(const solver::Result& result, const solver::Verification& verification);

}  // namespace cisolve::app
