#include "app/report/states.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>

#include "app/report/configurations.hpp"
#include "app/report/descriptions.hpp"
#include "app/report/entropies.hpp"
#include "app/report/excitations.hpp"
#include "app/report/multiplet.hpp"
#include "app/report/natural_occupations.hpp"
#include "app/report/properties.hpp"
#include "app/report/residual_trend.hpp"
#include "app/report/selection.hpp"
#include "app/report/sites.hpp"
#include "app/report/size_corrections.hpp"
#include "app/report/table.hpp"
#include "base/number.hpp"

namespace cisolve::app {
namespace {

using solver::Completeness;
using solver::Result;
using solver::SearchEnd;
using solver::Status;
using solver::Verification;

// Unfinished states are never described by a form of the word "converged".
const char* name_of(Status status) {
  switch (status) {
    case Status::converged: return "converged";
    case Status::not_converged: return "UNFINISHED";
    case Status::limited: return "LIMITED";
    case Status::stopped: return "STOPPED";
  }
  return "";
}

const char* name_of(SearchEnd end) {
  switch (end) {
    case SearchEnd::not_wanted:
    case SearchEnd::not_lowest: return "none";
    case SearchEnd::unfinished: return "not begun";
    case SearchEnd::excluded: return "excluded";
    case SearchEnd::out_of_products:
    case SearchEnd::out_of_reach:
    case SearchEnd::shared:
    case SearchEnd::undecided:
    case SearchEnd::no_memory:
    case SearchEnd::stopped:
    case SearchEnd::too_many:
    case SearchEnd::crowded:
    case SearchEnd::excluded_lower: break;
  }
  return "undecided";
}

bool is_undecided(const Result& result, const Verification& verification) {
  return verification.completeness == Completeness::not_checked &&
         name_of(result.search) == std::string("undecided");
}

// The evidence of an unfinished search.
std::string shown_by_search(const Result& result) {
  if (!(result.search_miss_probability < 1))
    return result.beyond.states > 0 ? "and found a state with the energy of the last one"
                                    : "and exclude nothing";
  return "and would have missed one with a probability of " +
         base::scientific(result.search_miss_probability, 1);
}

std::string reason_against(const Result& result) {
  const std::string products = base::grouped(result.search_products) + " search products";
  switch (result.search) {
    case SearchEnd::not_wanted: return "solver.search is none";
    case SearchEnd::not_lowest: return "the states were selected by overlap, not as the lowest";
    case SearchEnd::unfinished:
      return result.converged() ? "solver.max_iterations was reached before the search"
                                : "not all states have converged";
    case SearchEnd::out_of_products:
      return products + " did not decide it " + shown_by_search(result) +
             "; solver.search=full continues";
    case SearchEnd::out_of_reach:
      return products + " converged too slowly: four times the budget of a search would not " +
             "decide it, " + shown_by_search(result) + "; solver.search=full continues";
    case SearchEnd::shared:
      return products + " did not decide it " + shown_by_search(result) +
             ": another state is degenerate or nearly degenerate with the " +
             (result.near ? "farthest one" : "last one") + "; raise solver.states";
    case SearchEnd::crowded:
      return "more states have the energy of the last one than a search can project out";
    case SearchEnd::excluded_lower:
      return "more states have nearly the energy of the last one than a search can project out; " +
             ("none was missed below " + base::fixed(*result.edge, 8));
    case SearchEnd::no_memory: return "memory does not suffice for a search";
    case SearchEnd::stopped: return "the search was interrupted";
    case SearchEnd::too_many: return products + " found further states without end";
    case SearchEnd::undecided:
    case SearchEnd::excluded: break;
  }
  return products + " were limited by rounding errors";
}

/// Whether other states may overlap more with the followed vectors.
std::string certainty_of(const solver::SelectedStates& chosen) {
  if (chosen.is_certain()) return "no other state overlaps more";
  return "another state may overlap more: all others have a total weight of " +
         base::fixed(chosen.others, 4);
}

std::string meaning_of(const solver::SelectedStates& chosen) {
  std::string weights;
  for (const double weight : chosen.weights)
    weights += (weights.empty() ? ", with weights of " : ", ") + base::fixed(weight, 4);
  return "these are not the lowest states, but those that overlap most with the vectors of "
         "solver.follow" +
         weights + "; " + certainty_of(chosen);
}

std::string meaning_of_near(double energy, const Result& result, const Verification& verification) {
  const std::string these =
      "these are not the lowest states, but those nearest to " + base::shortest(energy);
  switch (verification.completeness) {
    case Completeness::not_checked: break;
    case Completeness::searched: return these + "; a search found no nearer state";
    case Completeness::certified: return these + "; all nearer eigenvalues are counted";
  }
  return these + "; whether a nearer state was missed " +
         (is_undecided(result, verification) ? "is undecided: " : "was not checked: ") +
         reason_against(result);
}

std::string meaning_of(const Result& result, const Verification& verification) {
  if (result.near) return meaning_of_near(*result.near, result, verification);
  switch (verification.completeness) {
    case Completeness::not_checked: break;
    case Completeness::searched: return "a search found no missed state";
    case Completeness::certified: return "no state is missing: all lower eigenvalues are counted";
  }
  if (result.chosen) return meaning_of(*result.chosen);
  const bool cut = !cut_multiplet(result, verification).empty();
  const std::string what = cut ? " was missed" : " was missed, or has the energy of the last one,";
  if (is_undecided(result, verification))
    return "whether a state" + what + " is undecided: " + reason_against(result);
  return "whether a state" + what + " was not checked: " + reason_against(result);
}

/// The sample of rows checked with the second operator, if not all.
std::string extent_of(const Verification& verification) {
  if (!verification.sample) return {};
  const solver::SampledRows& sample = *verification.sample;
  return base::concat(" in ", base::grouped(sample.rows), " of ", base::grouped(sample.of_rows),
                      " rows, in which both products of the states",
                      sample.has_random ? " and of a random vector" : "", " differ by at most ",
                      base::scientific(sample.largest_difference, 1), " (a fault in more than ",
                      base::fixed(100 * sample.detectable_fraction, 3),
                      " % of the rows is detected with a probability of 95 %)");
}

Json chosen_record(const Result& result) {
  if (!result.chosen) return {};
  const solver::SelectedStates& chosen = *result.chosen;
  return Json::object({{"weights", Json::array({chosen.weights.begin(), chosen.weights.end()})},
                       {"others", chosen.others},
                       {"certain", chosen.is_certain()}});
}

Json sample_record(const Verification& verification) {
  if (!verification.sample) return {};
  const solver::SampledRows& sample = *verification.sample;
  return Json::object({{"rows", sample.rows},
                       {"of_rows", sample.of_rows},
                       {"largest_difference", sample.largest_difference},
                       {"random_vector", sample.has_random},
                       {"detectable_fraction", sample.detectable_fraction}});
}

}  // namespace

std::vector<std::string> doubts_of(const Result& result, const Verification& verification) {
  std::vector<std::string> doubts;
  if (std::string cut = cut_multiplet(result, verification); !cut.empty())
    doubts.push_back(std::move(cut));
  const auto& chosen = result.chosen;
  if (result.converged() && chosen && !chosen->is_certain())
    doubts.push_back(certainty_of(*chosen));
  const bool wanted = result.search != solver::SearchEnd::not_wanted && !chosen;
  if (result.converged() && wanted && verification.completeness == Completeness::not_checked)
    doubts.push_back("a state may have been missed: " + completeness_reason(result, verification));
  return doubts;
}

std::string completeness_reason(const Result& result, const Verification& verification) {
  switch (verification.completeness) {
    case Completeness::not_checked: break;
    case Completeness::searched:
      return base::grouped(result.search_products) +
             " search products bound the probability of a missed state by " +
             base::scientific(result.search_miss_probability, 1);
    case Completeness::certified:
      return base::concat("all ", result.near ? "nearer" : "lower", " eigenvalues are counted");
  }
  return reason_against(result);
}

const char* name_of(solver::Method method) {
  switch (method) {
    case solver::Method::automatic: return "auto";
    case solver::Method::davidson: return "davidson";
    case solver::Method::lanczos: return "lanczos";
    case solver::Method::dense: return "dense";
  }
  return "";
}

const char* name_of(Completeness completeness) {
  switch (completeness) {
    case Completeness::not_checked: return "not checked";
    case Completeness::searched: return "searched";
    case Completeness::certified: return "certified";
  }
  return "";
}

void write_states(std::ostream& out, const Result& result, const Verification& verification,
                  std::optional<EnergyUnit> unit) {
  const bool has_excitations = unit && result.states.size() > 1;
  std::vector<std::string> header{"state", "energy"};
  if (has_excitations) header.push_back(excitation_heading(*unit));
  header.insert(header.end(), {"residual", "error bound", "estimate", "", "completeness"});
  Table table(std::move(header));
  const char* completeness = is_undecided(result, verification)
                                 ? name_of(result.search)
                                 : name_of(verification.completeness);
  for (std::size_t j = 0; j < result.states.size(); ++j) {
    const solver::State& state = result.states[j];
    std::vector<std::string> row{std::to_string(j + 1), base::fixed(state.energy, 12)};
    if (has_excitations)
      row.push_back(excitation_text(state.energy - result.states.front().energy, *unit));
    row.insert(row.end(),
               {base::scientific(state.residual, 2), base::scientific(state.error_bound, 2),
                base::scientific(state.error_estimate, 2), name_of(state.status), completeness});
    table.add(std::move(row));
  }
  table.write(out);
}

namespace {

/// Advice for unfinished states. Interior states may never converge by iteration; a dense solver
/// finds all of them if the matrix is small.
std::string advice_on_unfinished_states(const Result& result) {
  constexpr base::Index kDenseAllTheSame = 10'000;  // rows: 800 MB
  const bool is_dense_no_remedy = result.are_lowest() || result.vectors.rows() > kDenseAllTheSame;
  return base::concat(
      "raise solver.max_iterations",
      is_dense_no_remedy ? "" : ", or set solver.method to dense, which finds all states");
}

/// Reasons and advice for unfinished states, each after a semicolon.
std::string unfinished_states_text(const Result& result, double tolerance) {
  std::string text;
  if (const std::string advice = advice_on_tolerance(result); !advice.empty())
    text += "; LIMITED: " + advice;
  if (!wants_iterations(result)) return text;
  const std::string seen = residual_trend(result, tolerance);
  return text + (seen.empty() ? "" : "; " + seen) + "; " + advice_on_unfinished_states(result);
}

}  // namespace

void write_verdict(std::ostream& out, const Result& result, const Verification& verification,
                   double tolerance) {
  const auto reached = std::ranges::count(result.states, Status::converged, &solver::State::status);
  if (!verification.passed) {
    out << "VERIFICATION FAILED:\n";
    for (const std::string& failure : verification.failures) out << "  " << failure << '\n';
  }
  if (!result.converged()) {
    out << "NOT FINISHED: after " << base::counted(result.iterations, "iteration") << ' ' << reached
        << " of " << result.states.size() << " states are within the tolerance of "
        << base::brief(tolerance) << unfinished_states_text(result, tolerance) << '\n';
  } else if (verification.passed) {
    out << "converged and verified through a second operator" << extent_of(verification)
        << ": largest residual " << base::scientific(verification.max_residual, 2)
        << ", orthogonality " << base::scientific(verification.orthogonality, 2) << ";\n"
        << meaning_of(result, verification) << '\n';
    // Unknown partners are reported together with possibly missed states.
    const bool known = verification.completeness != Completeness::not_checked;
    const std::string cut = cut_multiplet(result, verification);
    const std::string partners =
        cut.empty() && known ? unknown_multiplet(result, verification) : cut;
    if (!partners.empty()) out << partners << '\n';
  }
}

Json solver_record(const Result& result) {
  return Json::object({{"method", name_of(result.method)},
                       {"iterations", result.iterations},
                       {"restarts", result.restarts},
                       {"products", result.products},
                       {"search_products", result.search_products},
                       {"note", result.note.empty() ? Json() : Json(result.note)},
                       {"converged", result.converged()}});
}

Json history_record(const Result& result, double tolerance) {
  std::vector<Json> numbers;
  std::vector<Json> products;
  std::vector<Json> searching;
  std::vector<Json> energies;
  std::vector<Json> residuals;
  const auto list = [](const std::vector<double>& values) {
    return Json::array({values.begin(), values.end()});
  };
  for (const solver::Iteration& iteration : result.history) {
    numbers.emplace_back(iteration.number);
    products.emplace_back(iteration.products);
    searching.emplace_back(iteration.searching);
    energies.push_back(list(iteration.energies));
    residuals.push_back(list(iteration.residuals));
  }
  return Json::object({{"tolerance", tolerance},
                       {"iteration", Json::array(std::move(numbers))},
                       {"products", Json::array(std::move(products))},
                       {"searching", Json::array(std::move(searching))},
                       {"energies", Json::array(std::move(energies))},
                       {"residuals", Json::array(std::move(residuals))}});
}

namespace {

/// Members of a state of determinants, in addition to description_members().
std::vector<Json::Member> determinant_members(const job::StateAnalysis& analysis, std::size_t j) {
  const job::StateDescription& state = analysis.states[j];
  std::vector<Json::Member> members{configurations_member(state), unpaired_member(state),
                                    entropies_member(analysis, j)};
  std::ranges::move(size_correction_members(state), std::back_inserter(members));
  return members;
}

}  // namespace

Json states_record(const Result& result, const job::StateAnalysis* analysis,
                   const job::Selection* selection, std::optional<EnergyUnit> unit) {
  std::vector<Json> items;
  for (std::size_t j = 0; j < result.states.size(); ++j) {
    const solver::State& state = result.states[j];
    std::vector<Json::Member> members{{"energy", state.energy},
                                      {"residual", state.residual},
                                      {"error_bound", state.error_bound},
                                      {"error_estimate", state.error_estimate},
                                      {"converged", state.status == Status::converged}};
    std::vector<Json::Member> more{
        {"s2", Json()}, {"irrep", Json()}, {"irrep_name", Json()}, {"irrep_assumed", false}};
    if (analysis != nullptr) more = description_members(analysis->states[j]);
    if (analysis != nullptr && analysis->properties)
      std::ranges::move(property_members(*analysis->properties, j), std::back_inserter(more));
    if (analysis != nullptr && analysis->states[j].sites)
      std::ranges::move(site_members(*analysis->states[j].sites, state.energy),
                        std::back_inserter(more));
    std::move(more.begin(), more.end(), std::back_inserter(members));
    members.emplace_back("excitation_ev",
                         excitation_in_ev(state.energy - result.states.front().energy, unit));
    if (analysis != nullptr && analysis->energies_from == job::EnergySource::densities)
      std::ranges::move(determinant_members(*analysis, j), std::back_inserter(members));
    if (selection != nullptr)
      std::ranges::move(perturbation_members(*selection, j, state.energy),
                        std::back_inserter(members));
    if (selection != nullptr && j < selection->perturbation.size())
      members.emplace_back("total_excitation_ev",
                           excitation_in_ev(total_excitation(*selection, result, j), unit));
    items.push_back(Json::object(std::move(members)));
  }
  return Json::array(std::move(items));
}

Json verification_record(const Result& result, const Verification& verification) {
  std::vector<Json> failures(verification.failures.begin(), verification.failures.end());
  return Json::object({{"passed", verification.passed},
                       {"by", verification.by},
                       {"sample", sample_record(verification)},
                       {"max_residual", verification.max_residual},
                       {"orthogonality", verification.orthogonality},
                       {"completeness", name_of(verification.completeness)},
                       {"completeness_reason", completeness_reason(result, verification)},
                       {"search", name_of(result.search)},
                       {"chosen", chosen_record(result)},
                       {"near", result.near ? Json(*result.near) : Json()},
                       {"failures", Json::array(std::move(failures))}});
}

}  // namespace cisolve::app
