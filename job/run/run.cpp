#include "job/run/run.hpp"

#include <memory>
#include <span>
#include <utility>

#include "base/ranks/agreement.hpp"
#include "job/products/wishes.hpp"
#include "job/run/stages.hpp"

namespace cisolve::job {
namespace {

/// The first rank has the states, and the others help it.
void conclude(const JobContext& job, SolvedJob solved) {
  if (!job.is_first()) return help(job, std::move(solved));
  if (job.outcome.result && job.outcome.end == End::done) {
    job.listener.found(job.outcome);
    StateVectors vectors(job, solved.matrix->backend(), solved.host);
    std::unique_ptr<SecondReading> second = verify(job, std::move(solved), vectors);
    describe(job, std::move(second), vectors);
    settle(job);
  } else {
    solved.matrix->release();
  }
  told(job.ranks, {Wish::end});
}

void tell_end(const JobContext& job) {
  double end = static_cast<double>(job.outcome.end);
  job.ranks.broadcast(std::span(&end, 1), 0);
  job.outcome.end = static_cast<End>(end);
}

}  // namespace

Outcome run(const Request& request, StartingBackend& starting, Listener& listener,
            const base::Communicator& ranks) {
  Outcome outcome;
  outcome.ranks = ranks.size();
  const JobContext job{request, starting, listener, ranks, outcome};
  base::together(ranks, [&] {
    conclude(job, solve(job, plan(job, open(job))));
    tell_end(job);
  });
  outcome.times.end("write_s");
  return outcome;
}

Outcome run(const Request& request, Listener& listener) {
  StartingBackend starting(request, false);
  return run(request, starting, listener);
}

Outcome run(const Request& request) {
  Listener nobody;
  return run(request, nobody);
}

}  // namespace cisolve::job
