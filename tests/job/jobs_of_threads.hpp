#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/ranks/thread_ranks.hpp"
#include "base/text.hpp"
#include "job/ranking/async_backend.hpp"
#include "job/run/run.hpp"
#include "tests/support/sanitizers.hpp"

// Jobs of ranks that are threads, and their results in one process.
namespace cisolve::job {

inline const std::string kWaterDump =
    std::string(CISOLVE_SOURCES) + "/tests/data/h2o_sto3g.fcidump";

inline Request water() {
  Request request;
  request.source = ProblemSource::fcidump;
  request.fcidump = kWaterDump;
  request.elements.path = ElementPath::precomputed;
  request.solver.states = 3;
  request.backend = base::BackendKind::openmp;
  request.threads = 1;
  return request;
}

/// The outcome on each rank; `heard` is the listener of rank `rank`.
inline std::vector<Outcome> outcomes(const Request& request, int size, Listener* heard = nullptr,
                                     int rank = 0) {
  std::vector<Outcome> found(size);
  base::run_as_ranks(size, [&](const base::Communicator& ranks) {
    AsyncBackend starting(request, false);
    Listener nobody;
    Listener& listener = ranks.rank() == rank && heard != nullptr ? *heard : nobody;
    found[ranks.rank()] = run(request, starting, listener, ranks);
  });
  return found;
}

inline void expect_same_states(const Outcome& found, const Outcome& alone) {
  ASSERT_TRUE(found.result && found.verification && alone.result);
  EXPECT_TRUE(found.verification->passed);
  EXPECT_EQ(found.verification->completeness, alone.verification->completeness);
  EXPECT_EQ(found.analysis.has_value(), alone.analysis.has_value());
  EXPECT_EQ(found.product.nonzeros, alone.product.nonzeros);
  ASSERT_EQ(found.result->states.size(), alone.result->states.size());
  EXPECT_EQ(found.result->vectors.rows(), alone.result->vectors.rows());
  for (std::size_t j = 0; j < alone.result->states.size(); ++j)
    EXPECT_NEAR(found.result->states[j].energy, alone.result->states[j].energy, 1e-10);
}

inline void expect_as_alone(const Request& request, const std::string& what) {
  const Outcome alone = run(request);
  EXPECT_EQ(alone.ranks, 1);
  for (const int size : test::kSanitized ? std::vector{3} : std::vector{2, 3, 5}) {
    SCOPED_TRACE(what + ", ranks: " + std::to_string(size));
    const std::vector<Outcome> found = outcomes(request, size);
    expect_same_states(found.front(), alone);
    for (const Outcome& one : found) {
      EXPECT_EQ(one.ranks, size);
      EXPECT_EQ(one.end, End::done);
    }
    for (int r = 1; r < size; ++r)
      EXPECT_TRUE(!found[r].result || found[r].result->vectors.rows() == 0);
  }
}

/// Keeps the last state of a solution, whole, and stops it early; or begins with one.
class Keeper final : public Listener, public solver::Observer {
 public:
  std::optional<solver::Checkpoint> kept;
  solver::Observer* observer() override { return this; }
  std::optional<solver::Checkpoint> start() override { return std::exchange(kept, std::nullopt); }
  bool report(const solver::Progress& progress) override {
    first = first == 0 ? progress.iteration : first;
    return progress.iteration < stop_at;
  }
  int first = 0;
  int stop_at = 1000000;
};

}  // namespace cisolve::job
