#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/config/energy_unit.hpp"
#include "app/json/json.hpp"
#include "job/results/job_results.hpp"
#include "job/states/state_analysis.hpp"
#include "solver/task/result.hpp"
#include "solver/verification/verify.hpp"

// Eigenstates and their verification, for people and for programs.
namespace cisolve::app {

const char* name_of(solver::Method method);
const char* name_of(solver::Completeness completeness);

/// With several states a column shows their excitation energies in `unit`, if there is a unit.
void write_states(std::ostream& out, const solver::Result& result,
                  const solver::Verification& verification,
                  std::optional<EnergyUnit> unit = std::nullopt);
/// Summary of convergence and verification in a line or two.
void write_verdict(std::ostream& out, const solver::Result& result,
                   const solver::Verification& verification, double tolerance);

/// Warnings about the states: further states share an energy, or one may have been missed.
std::vector<std::string> doubts_of(const solver::Result& result,
                                   const solver::Verification& verification);

/// Reason why the states are known to be complete, or not.
std::string completeness_reason(const solver::Result& result,
                                const solver::Verification& verification);

Json solver_record(const solver::Result& result);
/// The iterations, a list for each quantity.
Json history_record(const solver::Result& result, double tolerance);
/// The record of all states; with descriptions if `analysis` is not null, as for all but plain
/// matrices. Excitation energies
/// are null without a `unit`.
Json states_record(const solver::Result& result, const job::StateAnalysis* analysis,
                   const job::Selection* selection = nullptr,
                   std::optional<EnergyUnit> unit = std::nullopt);
Json verification_record(const solver::Result& result, const solver::Verification& verification);

}  // namespace cisolve::app
