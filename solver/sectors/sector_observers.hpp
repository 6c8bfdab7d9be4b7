#pragma once

#include <exception>
#include <functional>
#include <utility>

#include "base/stopwatch.hpp"
#include "solver/sectors/solve_by_sectors.hpp"
#include "solver/task/snapshot.hpp"

// Observers of the full problem while one of its sectors is solved.
namespace cisolve::solver {

/// Cancellation that stays: once an observer has returned false, all later reports return false.
/// Keeps an exception of the observer, lest it be taken for the caller's own lack of memory.
class StickyCancellation final : public Observer {
 public:
  StickyCancellation(Observer* observer, const base::Communicator& ranks)
      : observer_(observer), ranks_(ranks) {}

  /// Collective: false if any rank's observer returned false.
  bool report(const Progress& progress) override {
    if (!goes_on_) return false;
    try {
      goes_on_ = observer_ == nullptr || observer_->report(progress);
    } catch (...) {
      thrown_ = std::current_exception();
      goes_on_ = false;
    }
    goes_on_ = ranks_.all_true(goes_on_);
    return goes_on_;
  }
  bool goes_on() const { return goes_on_; }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  Observer* observer_;
  const base::Communicator& ranks_;
  bool goes_on_ = true;
  std::exception_ptr thrown_;
};

/// Calls `begin` at the first report: host work that overlaps with a device.
class OnFirstReport final : public Observer {
 public:
  OnFirstReport(std::function<void()> begin, Observer& observer)
      : begin_(std::move(begin)), observer_(observer) {}

  bool report(const Progress& progress) override {
    if (begin_) std::exchange(begin_, nullptr)();
    return observer_.report(progress);
  }

 private:
  std::function<void()> begin_;  // once
  Observer& observer_;
};

/// Expands the reports of a sector's solver to vectors of the full space.
class ExpandingObserver final : public Observer {
 public:
  /// `made` is any existing sector; its host workspace is used.
  ExpandingObserver(const Sectors& parts, ParitySide side, const OperatorSector& made, Index rows,
                    const base::Stopwatch& watch, Observer& observer)
      : parts_(parts), side_(side), made_(made), rows_(rows), watch_(watch), observer_(observer) {}

  bool report(const Progress& progress) override {
    Source source(*this, progress.state);
    return observer_.report({progress.iteration, progress.subspace, progress.products,
                             progress.searching, progress.energies, progress.residuals,
                             watch_.seconds(), progress.product_seconds, progress.bytes_per_second,
                             source, progress.last, progress.comparing});
  }

 private:
  class Source final : public CheckpointSource {
   public:
    Source(const ExpandingObserver& of, CheckpointSource& state) : of_(of), state_(state) {}
    Snapshot snapshot() override {
      const auto expand = [this](const double* part, double* whole) {
        of_.parts_.expand(of_.side_, part, whole);
      };
      return state_.snapshot().of_whole(of_.rows_, expand, of_.made_.host_workspace());
    }
    const base::Communicator& ranks() const override { return state_.ranks(); }

   private:
    const ExpandingObserver& of_;
    CheckpointSource& state_;
  };

  const Sectors& parts_;
  ParitySide side_;
  const OperatorSector& made_;
  Index rows_;
  const base::Stopwatch& watch_;  // started with the full solution
  Observer& observer_;
};

/// Snapshot of the state found so far, reported while the other sector is searched.
class FoundState final : public CheckpointSource {
 public:
  FoundState(const base::MultiVector& vectors, const Result& result,
             const base::Communicator& ranks)
      : vectors_(vectors),
        result_(result),
        work_(vectors.backend(), ranks, result.layout, vectors.columns()) {}

  Snapshot snapshot() override {
    SmallMatrix itself(vectors_.columns(), vectors_.columns());
    for (int j = 0; j < vectors_.columns(); ++j) itself(j, j) = 1;
    return {work_,      ConstColumns(vectors_), itself,
            energies(), result_.iterations,     result_.products};
  }
  const base::Communicator& ranks() const override { return work_.ranks(); }
  int iterations() const { return result_.iterations; }
  std::vector<double> energies() const {
    std::vector<double> all;
    for (const State& state : result_.states) all.push_back(state.energy);
    return all;
  }
  std::vector<double> residuals() const {
    std::vector<double> all;
    for (const State& state : result_.states) all.push_back(state.residual);
    return all;
  }

 private:
  const base::MultiVector& vectors_;
  const Result& result_;
  Vectors work_;
};

/// Stops a solution in one sector once its state is known to lie above `energy`, or after `most`
/// products without falling below it. Meanwhile reports and checkpoints are of the state found in
/// the other sector.
class StopWhenAbove final : public Observer {
 public:
  /// `before`: products so far.
  StopWhenAbove(double energy, Index before, Index most, FoundState& kept, Observer& observer)
      : energy_(energy), before_(before), most_(most), kept_(kept), observer_(observer) {}

  bool report(const Progress& progress) override {
    const std::vector<double> energies = kept_.energies();
    const std::vector<double> residuals = kept_.residuals();
    goes_on_ =
        observer_.report({kept_.iterations(), progress.subspace, before_ + progress.products, true,
                          energies, residuals, progress.seconds, progress.product_seconds,
                          progress.bytes_per_second, kept_, false, true});
    // An eigenvalue lies within a residual of a Ritz value.
    is_above_ = progress.energies[0] - progress.residuals[0] > energy_;
    is_spent_ = progress.products >= most_ && progress.energies[0] > energy_;
    return goes_on_ && !is_above_ && !is_spent_;
  }
  bool is_above() const { return is_above_; }
  bool is_spent() const { return is_spent_; }
  bool goes_on() const { return goes_on_; }

 private:
  double energy_;
  Index before_;
  Index most_;
  FoundState& kept_;
  Observer& observer_;
  bool is_above_ = false;
  bool is_spent_ = false;
  bool goes_on_ = true;
};

}  // namespace cisolve::solver
