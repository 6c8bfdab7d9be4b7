#include "app/report/selection.hpp"

#include <ostream>

#include "app/report/excitations.hpp"
#include "app/report/table.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace cisolve::app {
namespace {

constexpr int kDigits = 8;

/// One number per state.
template <class Of>
Json of_states(const std::vector<ci::StatePerturbation>& states, Of of) {
  if (states.empty()) return {};
  std::vector<Json> values;
  for (const ci::StatePerturbation& state : states) values.emplace_back(of(state));
  return Json::array(std::move(values));
}

Json round_record(const job::SelectionRound& round) {
  return Json::object(
      {{"epsilon", round.epsilon > 0 ? Json(round.epsilon) : Json()},
       {"determinants", round.determinants},
       {"energies", Json::array({round.energies.begin(), round.energies.end()})},
       {"perturbation", of_states(round.perturbation, [](const auto& one) { return one.energy; })},
       {"perturbation_error", of_states(round.perturbation, [](const auto&) { return 0.0; })},
       {"s2_correction",
        of_states(round.perturbation, [](const auto& one) { return one.spin_squared; })},
       {"seconds", round.seconds}});
}

std::string verdict_of(const job::Selection& selection) {
  if (selection.perturbation.empty()) return "";
  const std::string sample =
      base::concat(selection.sampled, " of ", base::grouped(selection.external),
                   " external determinants recomputed by the oracle: ");
  return selection.sample_passed
             ? "perturbation: " + sample + "their couplings agree to " +
                   base::scientific(selection.sample_difference, 1) + " of the sum of |H_ai c_i|"
             : "PERTURBATION FAILED ITS VERIFICATION: " + sample + "their couplings differ by " +
                   base::scientific(selection.sample_difference, 1) + " of the sum of |H_ai c_i|";
}

}  // namespace

void write_round(std::ostream& out, const job::SelectionRound& round) {
  out << "select   " << base::grouped(round.determinants) << " determinants";
  if (round.epsilon > 0) out << " at epsilon " << base::shortest(round.epsilon);
  out << ": E = " << base::fixed(round.energies.front(), kDigits);
  if (!round.perturbation.empty())
    out << ", perturbation " << base::fixed(round.perturbation.front().energy, kDigits);
  out << ", " << base::human_seconds(round.seconds) << '\n' << std::flush;
}

void write_perturbation(std::ostream& out, const job::Selection& selection,
                        const solver::Result& result, std::optional<EnergyUnit> unit) {
  out << "\nselection ended: " << selection.end << '\n';
  if (!selection.note.empty()) out << selection.note << '\n';
  if (selection.perturbation.empty()) return;
  const bool extrapolates = !selection.extrapolated.empty();
  const bool has_excitations = unit && selection.perturbation.size() > 1;
  std::vector<std::string> header{"state", "variational", "perturbation", "total"};
  if (has_excitations) header.push_back(excitation_heading(*unit));
  header.emplace_back("variance");
  if (extrapolates) header.insert(header.end(), {"extrapolated", "error"});
  Table table(std::move(header));
  for (std::size_t j = 0; j < selection.perturbation.size(); ++j) {
    const ci::StatePerturbation& state = selection.perturbation[j];
    const double energy = result.states[j].energy;
    std::vector<std::string> row{base::concat(j + 1), base::fixed(energy, kDigits),
                                 base::fixed(state.energy, kDigits),
                                 base::fixed(energy + state.energy, kDigits)};
    if (has_excitations)
      row.push_back(excitation_text(total_excitation(selection, result, j), *unit));
    row.push_back(base::scientific(state.variance, 2));
    if (extrapolates)
      row.insert(row.end(), {base::fixed(selection.extrapolated[j].energy, kDigits),
                             base::scientific(selection.extrapolated[j].error, 1)});
    table.add(std::move(row));
  }
  table.write(out);
  out << verdict_of(selection) << '\n';
  for (std::size_t j = 0; j < selection.extrapolated.size(); ++j)
    if (!selection.extrapolated[j].is_trusted())
      out << "the extrapolation of state " << j + 1
          << " is unreliable: " << selection.extrapolated[j].distrust << '\n';
  out << std::flush;
}

double total_excitation(const job::Selection& selection, const solver::Result& result,
                        std::size_t state) {
  const auto total = [&](std::size_t j) {
    return result.states[j].energy + selection.perturbation[j].energy;
  };
  return total(state) - total(0);
}

Json selection_record(const job::Selection& selection) {
  std::vector<Json> rounds;
  for (const job::SelectionRound& round : selection.rounds) rounds.push_back(round_record(round));
  const bool perturbed = !selection.perturbation.empty();
  return Json::object(
      {{"rounds", Json::array(std::move(rounds))},
       {"end", selection.end},
       {"note", selection.note.empty() ? Json() : Json(selection.note)},
       {"external", perturbed ? Json(selection.external) : Json()},
       {"perturbation_epsilon", perturbed ? Json(selection.perturbation_epsilon) : Json()},
       {"sample", perturbed ? Json::object({{"determinants", selection.sampled},
                                            {"largest_difference", selection.sample_difference},
                                            {"passed", selection.sample_passed}})
                            : Json()}});
}

std::vector<Json::Member> perturbation_members(const job::Selection& selection, std::size_t state,
                                               double energy) {
  if (state >= selection.perturbation.size()) return {};
  const ci::StatePerturbation& found = selection.perturbation[state];
  const bool extrapolates = state < selection.extrapolated.size();
  const ci::Extrapolation fit = extrapolates ? selection.extrapolated[state] : ci::Extrapolation();
  return {{"perturbation", found.energy},
          {"perturbation_error", 0.0},
          {"total", energy + found.energy},
          {"variance", found.variance},
          {"s2_correction", found.spin_squared},
          {"extrapolated", extrapolates ? Json(fit.energy) : Json()},
          {"extrapolated_error", extrapolates ? Json(fit.error) : Json()},
          {"extrapolation_doubt", fit.distrust.empty() ? Json() : Json(fit.distrust)}};
}

}  // namespace cisolve::app
