#pragma once

#include <string>
#include <utility>

#include "job/ranking/async_backend.hpp"
#include "job/request/shortage.hpp"
#include "job/run/listener.hpp"

namespace cisolve::job {

/// Shared by the stages of a job: its request, listener and ranks, and the record to which each
/// stage adds. It owns no operator, and no vectors except the result in the record.
struct JobContext {
  const Request& request;
  AsyncBackend& starting;
  Listener& listener;
  const base::Communicator& ranks;
  Outcome& outcome;

  bool solves() const { return request.solver.states > 0; }
  bool is_first() const { return ranks.rank() == 0; }

  /// Records a fallback and reports it to the listener.
  void note(Fallback step) const {
    listener.fell_back(step);
    outcome.fallbacks.push_back(std::move(step));
  }

  /// Returns work(); if it runs out of memory, notes that and returns instead().
  template <class Work, class Instead>
  auto with_memory_or(MemoryOf of, const std::string& what, const std::string& in_its_place,
                      Work work, Instead instead) const {
    std::optional<decltype(work())> found;
    const std::string short_of = run_catching_shortage(of, [&] { found.emplace(work()); });
    if (short_of.empty()) return *std::move(found);
    note({what, in_its_place, short_of});
    return instead();
  }
};

}  // namespace cisolve::job
