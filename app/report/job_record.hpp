#pragma once

#include <vector>

#include "app/config/configuration.hpp"
#include "app/json/json.hpp"
#include "job/run/listener.hpp"

namespace cisolve::app {

/// The record of a job, gathered as the job goes: whoever listens to one passes on what it hears.
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

  /// Of a job that has ended.
  std::vector<Json::Member> members(const job::Outcome& found) const;

 private:
  const Configuration& configuration_;
  std::vector<Json::Member> record_;
  std::size_t settled_ = 0;  // members that no new attempt replaces
  bool is_small_ = false;    // so that no device was asked for
};

/// "program" and "version", with which every record begins, and then the members.
Json record(std::vector<Json::Member> members);

}  // namespace cisolve::app
