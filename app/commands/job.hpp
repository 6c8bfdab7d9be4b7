#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/common.hpp"
#include "app/commands/invocation.hpp"
#include "app/json/json.hpp"
#include "app/report/progress_bar.hpp"
#include "app/runs/job_folder.hpp"
#include "app/runs/result_files.hpp"
#include "base/error.hpp"
#include "job/plan/fallback.hpp"
#include "job/plan/starting_backend.hpp"
#include "job/products/product.hpp"
#include "job/request/phase_times.hpp"
#include "job/states/solver_view.hpp"
#include "job/states/state_analysis.hpp"
#include "solver/verification/verify.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::app {

/// A job from its matrix to its record. Each step writes what it found and adds it to the record.
class Job {
 public:
  Job(const Configuration& configuration, const Invocation& call, JobFolder& folder,
      job::StartingBackend& starting, std::ostream& out)
      : configuration_(configuration),
        call_(call),
        folder_(folder),
        out_(out),
        starting_(starting),
        backend_(starting.host()),
        host_(starting.host()) {}

  Outcome run();

 private:
  /// work(watch), with a bar for those who look on.
  template <class Work>
  auto watched(std::string what, Index rows, Work work) const {
    ProgressBar bar(std::move(what), rows, wants_bars(call_));
    return work(bar.watch());
  }

  bool solves() const { return configuration_.solver.states > 0; }
  void open();
  void describe();
  /// work(), with less where the memory of the device would not do, until it does.
  template <class Work>
  void with_what_fits(Work work) {
    const std::size_t kept = record_.size();
    const job::PhaseTimes timed = times_;
    for (std::string reason = attempt(work); !reason.empty(); reason = attempt(work)) {
      record_.resize(kept);
      times_ = timed;
      times_.end("fallback_s");
      fall_back(reason);
    }
  }
  /// Why the memory of the device would not do; empty where it did.
  template <class Work>
  static std::string attempt(Work work) {
    try {
      work();
      return {};
    } catch (const base::DeviceMemoryError& error) {
      return error.what();
    }
  }
  void fall_back(const std::string& reason);
  void note(job::Fallback step);
  void build();
  void measure();
  solver::Result solve();
  bool is_interrupted() const { return code_ == ExitCode::interrupted; }
  void verify(solver::Result result);
  solver::Verification verified(const solver::Result& result);
  void tell_what_is_open(const solver::Result& result, const solver::Verification& verification);
  void keep(const solver::Result& result, const solver::Verification& verification,
            const job::StateAnalysis* analysis);
  solver::Result solve_observed(CheckpointWriter& writer);
  void write_product_verdict(const job::ProductCheck& check);
  void finish();

  const Configuration& configuration_;
  const Invocation& call_;
  JobFolder& folder_;
  std::ostream& out_;
  job::StartingBackend& starting_;
  base::Backend backend_;  // the host until the problem is open
  base::Backend host_;
  sparse::FormatOptions storage_;
  std::string started_ = utc_time();

  std::unique_ptr<sparse::RowSource> rows_;
  std::unique_ptr<sparse::SparseMatrix> matrix_;
  std::optional<job::SolverView> view_;
  job::MeasuredProduct product_;
  ExitCode code_ = ExitCode::success;
  std::vector<job::Fallback> fallbacks_;
  std::vector<Json::Member> record_;
  job::PhaseTimes times_;
};

}  // namespace cisolve::app
