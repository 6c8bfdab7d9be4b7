#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "app/commands/invocation.hpp"
#include "app/json/json.hpp"
#include "app/report/job_record.hpp"
#include "app/report/progress.hpp"
#include "app/runs/job_folder.hpp"
#include "app/runs/result_writer.hpp"
#include "ci/hamiltonian/csf/csf_basis.hpp"
#include "job/problem/watched_rows.hpp"
#include "job/run/listener.hpp"

namespace cisolve::app {

/// Reports the progress of a job to the terminal, the log, the record and the files.
class JobReport final : public job::Listener {
 public:
  JobReport(const Configuration& configuration, const Invocation& call, JobFolder& folder,
            base::Backend host, std::ostream& out);

  void opened(const job::OpenProblem& problem) override;
  void chose_spin(const ci::CsfBasis& basis) override;
  void described(const job::MatrixDescription& matrix) override;
  void built(const job::Outcome& found) override;
  void measured(const job::Outcome& found) override;
  void solved(const job::Outcome& found) override;
  void found(const job::Outcome& so_far) override;
  void states_lent(const job::LentStates& states) override { results_.begin(states); }
  void verified(const job::Outcome& found) override;
  void release() noexcept override { results_.abandon(); }
  void selected(const job::SelectionRound& round) override;
  void perturbed(const job::Outcome& found) override;
  void fell_back(const job::Fallback& step) override;
  void watch(const std::string& what, Index rows,
             const std::function<void(const job::Watch&)>& work) override;
  solver::Observer* observer() override;
  std::optional<solver::Checkpoint> start() override;

  /// The record of a job that has ended.
  std::vector<Json::Member> record_of(const job::Outcome& found);

 private:
  void report_problem(const job::OpenProblem& problem);
  /// Decides, before the solution, whether vectors are saved, and prints the decision.
  void decide_kept_vectors(const job::OpenProblem& problem);
  void report_states(const job::Outcome& found);
  void report_natural_integrals(const job::Outcome& found);
  void report_open_issues(const job::Outcome& found);

  const Configuration& configuration_;
  const Invocation& call_;
  JobFolder& folder_;
  base::Backend host_;
  std::ostream& out_;
  std::string started_;

  CheckpointWriter writer_;
  ResultWriter results_;
  ProgressTable progress_;
  Observers observers_;
  bool began_ = false;  // whether a solution has begun
  JobRecord record_;
};

}  // namespace cisolve::app
