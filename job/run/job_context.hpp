#pragma once

#include <string>
#include <utility>

#include "job/ranking/async_backend.hpp"
#include "job/request/shortage.hpp"
#include "job/run/listener.hpp"

namespace cisolve::job {

/// What the stages of one job share: what is asked for, who hears of it, and the record that each
/// stage adds to. It owns neither the operator nor, but for the result in the record, vectors.
struct JobContext {
  const Request& request;
  AsyncBackend& starting;
  Listener& listener;
  const base::Communicator& ranks;
  Outcome& outcome;

  bool solves() const { return request.solver.states > 0; }
  bool is_first() const { return ranks.rank() == 0; }

  /// Records what was done in place of what, and tells the listener.
  void note(Fallback step) const {
    listener.fell_back(step);
    outcome.fallbacks.push_back(std::move(step));
  }

  /// Returns work(), or instead() where memory is short for it, which is noted.
  template <class Work, class Instead>
  auto with_memory_or(MemoryOf of, const std::string& what, const std::string& in_its_place,
                      Work work, Instead instead) const {
    std::optional<decltype(work())> found;
    const std::string short_of = shortage(of, [&] { found.emplace(work()); });
    if (short_of.empty()) return *std::move(found);
    note({what, in_its_place, short_of});
    return instead();
  }
};

}  // namespace cisolve::job
