#include <algorithm>
#include <functional>
#include <utility>

#include "base/ranks/agreement.hpp"
#include "job/run/job.hpp"
#include "job/states/eigenstates.hpp"
#include "job/states/mixtures.hpp"
#include "job/states/spin_analysis.hpp"

// The part of a job that has states: how they are found, verified and described.
namespace cisolve::job {
namespace {

/// Passes on what is heard, and knows whether the solution was stopped. What goes on beside it
/// begins when that has taken a while: what comes first needs the threads of the host.
class Heard final : public solver::Observer {
 public:
  Heard(solver::Observer* observer, std::function<void()> begin)
      : observer_(observer), begin_(std::move(begin)) {}
  bool report(const solver::Progress& progress) override {
    constexpr double kWhile = 0.05;  // seconds
    const bool goes_on = observer_ == nullptr || observer_->report(progress);
    stopped_ |= !goes_on;
    const bool has_a_while = progress.seconds > kWhile && goes_on && !progress.last;
    if (begin_ && has_a_while) std::exchange(begin_, nullptr)();
    return goes_on;
  }
  bool has_stopped() const { return stopped_; }

 private:
  solver::Observer* observer_;
  std::function<void()> begin_;  // once
  bool stopped_ = false;
};

/// However the job goes on, what the listener was lent is released before it goes.
class Released {
 public:
  explicit Released(Listener& listener) : listener_(listener) {}
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released() { listener_.release(); }

 private:
  Listener& listener_;
};

/// work(); what the solver finds wrong with its operator is told with where that comes from. Ranks
/// have agreed on an error, which is thrown as it is.
template <class Work>
void naming_source(const Request& request, const base::Communicator& ranks, Work work) {
  try {
    work();
  } catch (const base::Error& error) {
    const std::string source = describe_source(request);
    const bool is_named = std::string_view(error.what()).starts_with(source);
    if (ranks.size() > 1 || error.fault() != base::Fault::bad_input || is_named) throw;
    base::fail(base::Fault::bad_input, source, ": ", error.what());
  }
}

}  // namespace

void Job::begin_beside_device() {
  if (ranks_.size() > 1 || backend_.is_host()) return;
  second_.begin(request_, host_);
  if (is_molecular(request_) || !reads_by_forks(request_, false))
    room_at_home_.begin(host_, matrix_.product->rows(), request_.solver.states);
}

void Job::solve() {
  // The solver asks a molecule for elements and spins for their S^2, a product those that it
  // computes.
  if (molecule_of(*rows_) == nullptr && !view_->asks_spins() && !computes()) rows_.reset();
  Heard heard(listener_.observer(), [this] { begin_beside_device(); });
  const auto with = [&](SpinsOn spins) {
    const Among among{*workers_, layout_};
    const auto resumed = solver::share_out(*workers_, view_->layout(among), listener_.start());
    const auto& start = resumed ? resumed : given_.start;
    solver::Options options = solver_options(request_);
    if (given_.target) options.follow = &*given_.target;
    naming_source(request_, ranks_, [&] {
      found_.result.emplace(view_->solve(*matrix_.product, matrix_.rows_in, backend_, options,
                                         &heard, start ? &*start : nullptr, spins, among));
    });
  };
  if (view_->basis() == nullptr || backend_.is_host()) {
    with(SpinsOn::backend);
  } else if (const std::string reason = attempt([&] { with(SpinsOn::backend); }); !reason.empty()) {
    note({"spin functions on the device", "spin functions on the host", reason});
    with(SpinsOn::host);
  }
  const solver::Result& result = *found_.result;
  found_.times.end("solve_s");
  if (!request_.product.wanted) found_.times.set_product(result.seconds_of_a_product());
  if (const std::string& note = given_.note; !note.empty())
    found_.result->note += (result.note.empty() ? "" : "; ") + note;
  if (heard.has_stopped()) found_.end = End::interrupted;
  listener_.solved(found_);
}

// A device that has not the room for it leaves it to the host: the states are worth it.
template <class Work>
bool Job::where_they_lie(const std::string& what, base::MultiVector& vectors, Work work) {
  const std::string reason = attempt(work);
  if (reason.empty()) return true;
  note({what + " on the device", what + " on the host", reason});
  vectors = vectors.to(host_);
  work();
  static_cast<void>(attempt([&] { vectors = vectors.to(backend_); }));  // what follows may fit
  return false;
}

// Vectors of a device are copied for it where the host could still do what follows in its place.
void Job::let_stand(const Molecule* molecule) {
  const solver::Result& result = *found_.result;
  const base::MultiVector& vectors = result.vectors;
  if (!vectors.backend().is_host()) {
    const Index bytes = vectors.rows() * vectors.columns() * Index{sizeof(double)};
    constexpr Index kElement = 24;  // of a matrix that is read and stored again to verify them
    const bool reads_again = molecule == nullptr && !is_spins(request_);
    const Index matrix = reads_again ? kElement * found_.product.nonzeros : 0;
    const Index left = host_.host_memory().left() + room_at_home_.bytes();
    if ((left - matrix) / 3 < bytes) return;
    at_home_.emplace(room_at_home_.copy_of(vectors, host_));
  }
  stands_at_home_ = true;
  listener_.standing(
      {at_home_ ? std::as_const(*at_home_).block() : vectors.block(), result.layout, molecule});
}

base::MultiVector Job::brought_home(const base::MultiVector& vectors) {
  if (!at_home_) return vectors.to(host_);
  base::MultiVector home = std::move(*at_home_);
  at_home_.reset();
  return home;
}

// Verified states are not lost for want of room to describe them.
template <class Analyse>
void Job::describe_states(Analyse analyse) {
  solver::Result& result = *found_.result;
  const auto describe = [&](const base::MultiVector& vectors) {
    try {
      found_.analysis = analyse(vectors);
    } catch (const base::DeviceMemoryError&) {
      throw;
    } catch (const base::Error& error) {
      if (error.fault() != base::Fault::resources) throw;
      note({"the description of states", "the states alone", error.what()});
    }
  };
  if (result.vectors.backend().is_host()) return describe(result.vectors);
  base::MultiVector there = std::move(result.vectors);
  result.vectors = brought_home(there);
  where_they_lie("description", there, [&] { describe(there); });
}

// What was asked for by name, and had no room in the end.
void Job::note_fewer_densities() {
  const std::string& wanted = request_.analysis.densities;
  const std::string& found = found_.analysis->densities;
  if (wanted != "auto" && wanted != found)
    note({"analysis.densities: " + wanted, found, found_.analysis->note});
}

void Job::move_to_device() {
  solver::Result& result = *found_.result;
  if (!result.vectors.backend().is_host() || backend_.is_host()) return;
  static_cast<void>(attempt([&] {
    base::MultiVector there = result.vectors.to(backend_);
    if (stands_at_home_ && !at_home_) at_home_.emplace(std::move(result.vectors));  // it is written
    result.vectors = std::move(there);
  }));
}

void Job::let_go() {
  if (served_ && ranks_.rank() == 0) told(ranks_, {Wish::let_go});
  served_at_home_.reset();
  served_.reset();
  matrix_.product.reset();
  rows_.reset();
}

void Job::verify() {
  view_.reset();
  given_ = {};
  if (!samples()) let_go();
  solver::Result& result = *found_.result;
  // Those of one spin may have had no room beside the matrix, those of many ranks were brought
  // home.
  if (!served_) move_to_device();
  if (result.vectors.backend().is_host()) told(ranks_, {Wish::read_again});
  inputs_.require_unchanged();
  const std::unique_ptr<SecondReading> reading = second_.finish(request_, backend_);
  SecondReading& second = *reading;
  if (second.spins() != nullptr) tell_orbits(*second.spins());
  // The host has the operators that know of a total spin of sites.
  const bool is_one_spin = second.spins() != nullptr && second.spins()->problem().twice_spin;
  if (is_one_spin && !result.vectors.backend().is_host()) result.vectors = result.vectors.to(host_);
  const Molecule* molecule = second.molecule();
  const SpinProblemRows* spins = second.spins();
  std::vector<bool> rotated(result.states.size(), false);
  const auto clean_up = [&] {
    rotated =
        spins != nullptr ? purify(*spins, request_, result) : purify(*molecule, request_, result);
  };
  // Of states that were cleaned up twice, nothing tells which the first time has rotated.
  const bool has_spins = molecule != nullptr || spins != nullptr;
  if (has_spins && !where_they_lie("clean-up of spins", result.vectors, clean_up))
    rotated.assign(rotated.size(), true);
  const Released released(listener_);
  if (molecule != nullptr || !reads_by_forks(request_, false)) let_stand(molecule);
  room_at_home_.let_go();  // unless it is taken
  where_they_lie("verification", result.vectors, [&] {
    listener_.watch("verifying", result.vectors.rows(),
                    [&](const Watch& hear) { found_.verification = verified(second, hear); });
  });
  let_go();
  inputs_.require_unchanged();  // which was read until now
  if (result.chosen && std::ranges::count(rotated, true) > 0) result.chosen->weights.clear();
  solver::Verification& verification = *found_.verification;
  take_verified(verification, rotated, result);
  found_.times.end("verify_s");
  move_to_device();
  if (molecule != nullptr) {
    describe_states([&](const auto& there) { return analyse(*molecule, request_, result, there); });
    if (found_.analysis) {
      mark_mixtures(result, verification.beyond, has_irreps(*molecule), *found_.analysis);
      note_fewer_densities();
    }
  }
  if (spins != nullptr)
    describe_states([&](const auto& there) { return analyse(*spins, request_, result, there); });
  if (found_.analysis) verification.fail(found_.analysis->failures);
  if (!result.vectors.backend().is_host()) result.vectors = brought_home(result.vectors);
  found_.times.end("analysis_s");
  found_.molecule = second.take_molecule();
  if (!result.converged()) found_.end = End::not_converged;
  if (!verification.passed) found_.end = End::verification_failed;
  listener_.verified(found_);
}

}  // namespace cisolve::job
