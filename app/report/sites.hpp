#pragma once

#include <iosfwd>

#include "app/json/json.hpp"
#include "job/problem/site_problem.hpp"
#include "job/states/state_analysis.hpp"
#include "solver/task/result.hpp"

// Site correlations of lattice states, as text and as JSON.
namespace cisolve::app {

/// A line for each state: energy per site, correlation of neighbours, largest structure factor; and
/// the gap. Nothing if no correlations are known.
void write_sites(std::ostream& out, const job::StateAnalysis& analysis,
                 const solver::Result& result);

/// The keys that they add to a state.
std::vector<Json::Member> site_members(const job::SiteCorrelations& sites, double energy);

/// The sector of its states: "sector   momentum (0), columns even, spin even: 112 operations".
void write_sector(std::ostream& out, const job::Request& request, const job::SiteProblem& problem);

/// A problem of spins, and the states that it is solved among.
Json spin_problem_record(const std::string& source, const job::SiteProblem& problem);
Json spin_space_record(const job::Request& request, const job::SiteProblem& problem);

}  // namespace cisolve::app
