#pragma once

#include "base/ranks/thread_ranks.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/rank_runner.hpp"
#include "tests/support/sanitizers.hpp"

// Include this file in a program that tests thread ranks.
namespace cisolve::test {

inline const bool tests_threads = [] {
  rank_runner = {[] {
                   return kSanitized ? std::vector{1, 2, 3} : std::vector{1, 2, 3, 5, 7};
                 },
                 base::run_as_ranks, [](base::Index own_count) { return own_count; }};
  // Ranks that share a device queue their work separately.
  if (backend_name() == "cuda")
    rank_backend = [] {
      thread_local const base::Backend device = base::Backend::cuda();
      return device;
    };
  return true;
}();

}  // namespace cisolve::test
