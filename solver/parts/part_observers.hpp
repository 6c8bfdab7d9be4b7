#pragma once

#include <exception>
#include <functional>
#include <utility>

#include "base/stopwatch.hpp"
#include "solver/parts/solve_by_parts.hpp"

// What those who follow a solution are told while a part of the whole is worked on.
namespace cisolve::solver {

/// Remembers that an observer has said no, once and for all that follows. What it throws is kept as
/// well, so that nobody takes it for want of memory of his own.
class Heard final : public Observer {
 public:
  Heard(Observer* observer, const base::Communicator& ranks) : observer_(observer), ranks_(ranks) {}

  /// What any rank says is what all hear.
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

/// Begins something when it is first told of a solution: what that makes on the host is made then,
/// and a device is at work.
class BeginsThen final : public Observer {
 public:
  BeginsThen(std::function<void()> begin, Observer& observer)
      : begin_(std::move(begin)), observer_(observer) {}

  bool report(const Progress& progress) override {
    if (begin_) std::exchange(begin_, nullptr)();
    return observer_.report(progress);
  }

 private:
  std::function<void()> begin_;  // once
  Observer& observer_;
};

/// Tells of the whole what a solver of a part tells.
class OfWhole final : public Observer {
 public:
  /// `made` is a part that there is, whichever one.
  OfWhole(const Parts& parts, ParitySide side, const Part& made, Index rows,
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
    Source(const OfWhole& of, CheckpointSource& state) : of_(of), state_(state) {}
    Snapshot snapshot() override {
      const auto expand = [this](const double* part, double* whole) {
        of_.parts_.expand(of_.side_, part, whole);
      };
      return state_.snapshot().of_whole(of_.rows_, expand, of_.made_.room());
    }
    const base::Communicator& ranks() const override { return state_.ranks(); }

   private:
    const OfWhole& of_;
    CheckpointSource& state_;
  };

  const Parts& parts_;
  ParitySide side_;
  const Part& made_;
  Index rows_;
  const base::Stopwatch& watch_;  // since the whole began
  Observer& observer_;
};

/// What a search of one part goes on from, while it looks into the other one.
class KeptState final : public CheckpointSource {
 public:
  KeptState(const base::MultiVector& vectors, const Result& result, const base::Communicator& ranks)
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

/// Follows a solution in one part until it is clear that it ends above an energy, or until it is
/// not below after so many products as it may take, while the state of the other part is what is
/// told and saved.
class AboveOrNot final : public Observer {
 public:
  /// `before` are the products until now.
  AboveOrNot(double energy, Index before, Index most, KeptState& kept, Observer& observer)
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
  KeptState& kept_;
  Observer& observer_;
  bool is_above_ = false;
  bool is_spent_ = false;
  bool goes_on_ = true;
};

}  // namespace cisolve::solver
