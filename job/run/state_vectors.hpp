#pragma once

#include <optional>
#include <string>

#include "job/run/host_state_buffer.hpp"
#include "job/run/job_context.hpp"

namespace cisolve::job {

/// Location of the vectors of the record's result during verification and description: the device
/// if it has the memory, else the host. The destructor releases what was lent to the listener.
class StateVectors {
 public:
  /// `device` is the backend of the solution, which may be the host.
  StateVectors(const JobContext& job, base::Backend device, base::Backend host);
  StateVectors(const StateVectors&) = delete;
  StateVectors& operator=(const StateVectors&) = delete;
  ~StateVectors();

  const base::MultiVector& vectors() const { return result().vectors; }
  const base::Backend& backend() const { return vectors().backend(); }
  bool are_on_host() const { return backend().is_host(); }
  /// The vectors, or a copy of them on the host.
  const base::MultiVector& on_host() const { return copy_ ? *copy_ : vectors(); }

  void move_to_device_if_it_fits();
  void move_to_host() { result().vectors = copied_to_host(result().vectors); }

  /// Lends the vectors to the listener, on the host, if its memory suffices for them and `reserve`
  /// further bytes. `buffer` is memory prepared for the copy.
  void lend(const DeterminantProblem* molecule, Index reserve, HostStateBuffer buffer);
  /// From now on the destructor reports the release to the listener.
  void will_be_released() { releases_ = true; }

  /// Runs work() with the vectors in place; if device memory is short, runs it again with the
  /// vectors on the host and returns false.
  template <class Work>
  bool on_device_or_host(const std::string& what, Work work) {
    return on_device_or_host(what, result().vectors, work);
  }

  /// Moves the vectors to the host and runs work(vectors) on them in their previous place, as
  /// above.
  template <class Work>
  void from_host_copy(const std::string& what, Work work) {
    if (are_on_host()) return work(vectors());
    base::MultiVector there = std::move(result().vectors);
    result().vectors = copied_to_host(there);
    on_device_or_host(what, there, [&] { work(there); });
  }

 private:
  solver::Result& result() const { return *job_.outcome.result; }
  base::MultiVector copied_to_host(const base::MultiVector& vectors);

  template <class Work>
  bool on_device_or_host(const std::string& what, base::MultiVector& vectors, Work work) {
    const std::string reason = run_catching_shortage(MemoryOf::device, work);
    if (reason.empty()) return true;
    job_.note({what + " on the device", what + " on the host", reason});
    vectors = vectors.to(host_);
    work();
    run_catching_shortage(MemoryOf::device,
                          [&] { vectors = vectors.to(device_); });  // later work may fit
    return false;
  }

  const JobContext& job_;
  base::Backend device_;
  base::Backend host_;
  std::optional<base::MultiVector> copy_;  // host copy of device vectors
  bool is_lent_ = false;                   // the copy, or the vectors themselves
  bool releases_ = false;
};

}  // namespace cisolve::job
