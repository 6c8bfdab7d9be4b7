#include "app/report/job_record.hpp"

#include <algorithm>
#include <iterator>

#include "app/config/version.hpp"
#include "app/report/configurations.hpp"
#include "app/report/descriptions.hpp"
#include "app/report/dyson.hpp"
#include "app/report/excitations.hpp"
#include "app/report/multiplet.hpp"
#include "app/report/properties.hpp"
#include "app/report/records.hpp"
#include "app/report/selection.hpp"
#include "app/report/states.hpp"
#include "app/report/transition_orbitals.hpp"
#include "ci/hamiltonian/csf/csf_basis.hpp"
#include "job/plan/plan.hpp"
#include "job/ranking/small_jobs.hpp"

namespace cisolve::app {

void JobRecord::opened(const job::OpenProblem& problem) {
  std::ranges::move(
      problem_members(configuration_, problem.shape, problem.determinant_problem, problem.sites),
      std::back_inserter(record_));
  settled_ = record_.size();
  is_small_ = problem.is_small;
}

void JobRecord::chose_spin(const ci::CsfBasis& basis) {
  record_.emplace_back("spin_functions", basis.functions());
  settled_ = record_.size();
}

void JobRecord::described(const job::MatrixDescription& matrix) {
  record_.emplace_back("statistics", statistics_record(matrix.statistics));
  record_.emplace_back("memory", memory_record(matrix.plans));
  settled_ = record_.size();
}

void JobRecord::built(const job::Outcome& found) {
  record_.resize(settled_);  // discards members of an earlier attempt
  record_.emplace_back("operator",
                       operator_record(found.product, found.plan->storage, found.plan->elements()));
  record_.emplace_back(
      "plan", Json::object({{"text", found.plan->text()}, {"reason", found.plan->reason}}));
  record_.emplace_back(
      "backend", backend_record(*found.backend, is_small_ ? job::kDoneBeforeAStart : nullptr));
  if (!found.links.empty()) record_.emplace_back("links", found.links);
}

void JobRecord::measured(const job::Outcome& found) {
  const job::ProductCheck& check = found.product.check;
  record_.emplace_back("product", product_record(found.product, configuration_.request.product));
  const bool last = configuration_.request.solver.states == 0 || !check.passed;
  record_.emplace_back(last ? "verification" : "product_verification", verification_record(check));
}

void JobRecord::solved(const job::Outcome& found) {
  const solver::Result& result = *found.result;
  record_.emplace_back("solver", solver_record(result));
  record_.emplace_back("history", history_record(result, configuration_.request.solver.tolerance));
}

void JobRecord::verified(const job::Outcome& found) {
  const job::StateAnalysis* analysis = found.analysis ? &*found.analysis : nullptr;
  const std::optional<EnergyUnit> unit = excitation_unit(configuration_);
  record_.emplace_back("states", states_record(*found.result, analysis, nullptr, unit));
  record_.emplace_back("excitation_unit", unit ? Json(std::string(job::word_of(*unit))) : Json());
  record_.emplace_back("configurations_from",
                       analysis != nullptr ? configuration_reference_record(*analysis) : Json());
  record_.emplace_back("s2_note", analysis != nullptr ? spin_record(*analysis) : Json());
  record_.emplace_back("multiplet", multiplet_record(*found.result, *found.verification));
  record_.emplace_back("verification", verification_record(*found.result, *found.verification));
  if (analysis != nullptr)
    record_.emplace_back("densities", density_record(*analysis, *found.result));
  if (analysis != nullptr && analysis->properties)
    std::ranges::move(property_record(*analysis->properties), std::back_inserter(record_));
  record_.push_back(transition_orbitals_member(analysis));
  record_.push_back(dyson_member(analysis, *found.result, unit));
}

void JobRecord::perturbed(const job::Outcome& found) {
  const job::StateAnalysis* analysis = found.analysis ? &*found.analysis : nullptr;
  const auto states = std::ranges::find(record_, "states", &Json::Member::first);
  states->second =
      states_record(*found.result, analysis, &*found.selection, excitation_unit(configuration_));
  record_.emplace_back("selection", selection_record(*found.selection));
}

std::vector<Json::Member> JobRecord::members(const job::Outcome& found) const {
  std::vector<Json::Member> all = record_;
  all.emplace_back("ranks", found.ranks);
  all.emplace_back("fallbacks", fallbacks_record(found.fallbacks));
  const auto times = found.times.all();
  all.emplace_back("timings", Json::object(std::vector<Json::Member>(times.begin(), times.end())));
  return all;
}

Json record(std::vector<Json::Member> members) {
  std::vector<Json::Member> all{
      {"schema", kRecordSchema}, {"program", "ci-solve"}, {"version", kVersion}};
  std::move(members.begin(), members.end(), std::back_inserter(all));
  return Json::object(std::move(all));
}

}  // namespace cisolve::app
