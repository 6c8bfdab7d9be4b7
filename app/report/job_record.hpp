#pragma once

#include <vector>

#include "app/config/configuration.hpp"
#include "app/json/json.hpp"
#include "ci/hamiltonian/csf/csf_basis.hpp"
#include "job/run/listener.hpp"

namespace cisolve::app {

/// Builds the record of a job from the events that its listener receives.
class JobRecord {
 public:
  explicit JobRecord(const Configuration& configuration) : configuration_(configuration) {}

  void opened(const job::OpenProblem& problem);
  void chose_spin(const ci::CsfBasis& basis);
  void described(const job::MatrixDescription& matrix);
  void built(const job::Outcome& found);
  void measured(const job::Outcome& found);
  void solved(const job::Outcome& found);
  void verified(const job::Outcome& found);
  void perturbed(const job::Outcome& found);

  /// The members for a job that has ended.
  std::vector<Json::Member> members(const job::Outcome& found) const;

 private:
  const Configuration& configuration_;
  std::vector<Json::Member> record_;
  std::size_t settled_ = 0;  // leading members that a new attempt keeps
  bool is_small_ = false;    // whether the job is so small that no device was opened
};

/// Version of run.json and sweep.json; 2 renamed `beside` to `overlapped`.
inline constexpr int kRecordSchema = 2;

/// "program" and "version", with which every record begins, and then the members.
Json record(std::vector<Json::Member> members);

}  // namespace cisolve::app
