#pragma once

#include <optional>

#include "solver/task/checkpoint.hpp"
#include "solver/task/observer.hpp"
#include "solver/task/snapshot.hpp"

namespace cisolve::test {

/// Takes a checkpoint of its own rank, and stops at a given iteration.
class StopsAt final : public solver::Observer {
 public:
  explicit StopsAt(int iteration) : iteration_(iteration) {}
  bool report(const solver::Progress& progress) override {
    ++calls;
    if (progress.iteration < iteration_) return true;
    saved.emplace(progress.state.checkpoint());
    products = progress.products;
    return false;
  }
  int calls = 0;
  base::Index products = 0;  // products when it was taken
  std::optional<solver::Checkpoint> saved;

 private:
  int iteration_;
};

}  // namespace cisolve::test
