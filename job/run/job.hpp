#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "job/plan/descent.hpp"
#include "job/problem/computed.hpp"
#include "job/problem/input_files.hpp"
#include "job/problem/second_reading.hpp"
#include "job/products/served_product.hpp"
#include "job/products/served_rows.hpp"
#include "job/run/reading_beside.hpp"
#include "job/run/room_at_home.hpp"
#include "job/run/run.hpp"
#include "job/states/given_states.hpp"
#include "job/states/solver_view.hpp"

namespace cisolve::job {

/// A job from its problem to its outcome.
class Job {
 public:
  Job(const Request& request, StartingBackend& starting, Listener& listener,
      const base::Communicator& ranks)
      : request_(request),
        inputs_(request),
        listener_(listener),
        ranks_(ranks),
        starting_(starting),
        backend_(starting.host()),
        host_(starting.host()) {}

  Outcome run();

 private:
  bool solves() const { return request_.solver.states > 0; }
  void open();
  bool is_done_before_a_device_starts() const;
  void share_backend();
  void learn_rows();
  void forget_what_some_lack();
  void plan(const Resources& resources);
  bool is_shared() const;
  Network workers() const;
  void choose_workers();
  /// Whether this rank has a part in the work; else it waits for how it ends.
  bool works() const { return workers_->size() > 1 || ranks_.rank() == 0; }
  void work();
  void conclude();
  void help();
  void tell_end();
  void describe();
  void build();
  bool finds_other_codes();
  void tell_values();
  void measure();
  void begin_beside_device();
  void solve();
  void verify();
  bool samples() const;
  bool lie_where_solved() const;
  double solved_by_one() const;
  /// What the solution was found with.
  void let_go();
  /// The operator of the second reading, its rows computed by all ranks where these have room.
  std::unique_ptr<ci::RowwiseOperator> read_again(const SecondReading& second, const Watch& hear);
  /// What verifies where a sample of rows is held against a second operator; null: that has all.
  const base::LinearOperator* for_a_sample(const SecondReading& second);
  solver::Verification verified(const SecondReading& second, const Watch& hear);
  std::optional<solver::Verification> verified_in_sample(const SecondReading& second,
                                                         const Watch& hear);
  solver::Verification verified_in_all_rows(const SecondReading& second, const Watch& hear);
  /// Says where the host has found orbits in place of the device.
  void tell_orbits(const SpinProblemRows& spins);
  /// The states, where there is room for them now.
  void move_to_device();
  void let_stand(const Molecule* molecule);
  base::MultiVector brought_home(const base::MultiVector& vectors);
  /// analyse(there), with the vectors at home and, as long as that may be, where they lie.
  template <class Analyse>
  void describe_states(Analyse analyse);
  void note_fewer_densities();
  /// work() where the vectors are; on the host where the device has not the room, and then false.
  template <class Work>
  bool where_they_lie(const std::string& what, base::MultiVector& vectors, Work work);

  /// work(), with less where memory would not do, until it does.
  template <class Work>
  void with_what_fits(Work work) {
    const PhaseTimes timed = found_.times;
    while (true) try {
        return work();
      } catch (const base::Error& error) {
        if (!may_do_with_less(error)) throw;
        found_.times = timed;
        found_.times.end("fallback_s");
        fall_back(error.what());
      }
  }
  bool may_do_with_less(const base::Error& error) const;
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
  bool computes() const { return plans_->plan().computes(); }
  const sparse::FormatOptions& storage() const { return plans_->plan().storage; }
  /// Within what handles the error of that reason.
  void fall_back(const std::string& reason);
  void note(Fallback step);

  const Request& request_;
  InputFiles inputs_;
  Listener& listener_;
  const base::Communicator& ranks_;
  const base::Communicator* workers_ = &solver::kOneProcess;  // all ranks, or the first
  StartingBackend& starting_;
  base::Backend backend_;  // the host until the problem is open
  base::Backend host_;
  bool has_looked_ = false;        // at its rows, before the backend was there
  bool is_small_ = false;          // so that no device is started
  std::optional<Descent> plans_;   // from when the problem is open
  std::optional<Index> nonzeros_;  // where they were counted

  std::unique_ptr<sparse::RowSource> rows_;
  Counts counts_;      // as far as is known without counting
  Computed computed_;  // found to rank the plans
  PreparedProduct matrix_;
  base::Layout layout_;                          // of its rows; none where one process has them all
  std::optional<ServedProduct> served_;          // as the first rank verifies with it
  std::optional<ServedProduct> served_at_home_;  // where its device has no room for whole vectors
  GivenStates given_;
  std::optional<SolverView> view_;
  ReadingBeside second_;
  RoomAtHome room_at_home_;
  std::optional<base::MultiVector> at_home_;  // vectors of a device, for the listener
  bool stands_at_home_ = false;  // a listener writes what stands there, or in the result
  Outcome found_;
};

}  // namespace cisolve::job
