#include "job/run/job.hpp"
#include "job/states/eigenstates.hpp"
#include "job/states/mixtures.hpp"

// The part of a job that has states: how they are found, verified and described.
namespace cisolve::job {
namespace {

/// Passes on what is heard, and knows whether the solution was stopped.
class Heard final : public solver::Observer {
 public:
  explicit Heard(solver::Observer* observer) : observer_(observer) {}
  bool report(const solver::Progress& progress) override {
    const bool goes_on = observer_ == nullptr || observer_->report(progress);
    stopped_ |= !goes_on;
    return goes_on;
  }
  bool has_stopped() const { return stopped_; }

 private:
  solver::Observer* observer_;
  bool stopped_ = false;
};

}  // namespace

void Job::solve() {
  if (molecule_of(*rows_) == nullptr) rows_.reset();  // the solver asks a molecule for elements
  Heard heard(listener_.observer());
  const auto start = listener_.start();
  found_.result.emplace(view_->solve(*matrix_, backend_, solver_options(request_), &heard,
                                     start ? &*start : nullptr));
  const solver::Result& result = *found_.result;
  found_.times.end("solve_s");
  if (!request_.product.wanted && result.products > 0)
    found_.times.set_product(result.product_seconds / static_cast<double>(result.products));
  if (heard.has_stopped()) found_.end = End::interrupted;
  listener_.solved(found_);
}

// A device that has not the room for it leaves it to the host: the states are worth it.
void Job::verify_states(const SecondReading& second) {
  const auto by = [&](const base::Backend& backend) {
    listener_.watch("verifying", found_.result->vectors.rows(), [&](const Watch& hear) {
      found_.verification = verify_again(request_, second, *found_.result, backend, hear);
    });
  };
  const std::string reason = attempt([&] { by(backend_); });
  if (reason.empty()) return;
  note({"verification on the device", "verification on the host", reason});
  by(host_);
}

void Job::verify() {
  matrix_.reset();
  view_.reset();
  rows_.reset();
  solver::Result& result = *found_.result;
  solver::bring_whole(solver::kOneProcess, result);
  SecondReading second(request_, host_);
  const Molecule* molecule = second.molecule();
  std::vector<bool> rotated(result.states.size(), false);
  if (molecule != nullptr) rotated = purify(*molecule, request_, result);
  verify_states(second);
  solver::Verification& verification = *found_.verification;
  take_verified(verification, rotated, result);
  found_.times.end("verify_s");
  if (molecule != nullptr) {
    found_.analysis = analyse(*molecule, request_, result);
    mark_mixtures(result, verification.beyond, has_irreps(*molecule), *found_.analysis);
    verification.fail(found_.analysis->failures);
  }
  found_.times.end("analysis_s");
  found_.molecule = second.take_molecule();
  if (!result.converged()) found_.end = End::not_converged;
  if (!verification.passed) found_.end = End::verification_failed;
  listener_.verified(found_);
}

}  // namespace cisolve::job
