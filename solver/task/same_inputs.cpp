#include "solver/task/same_inputs.hpp"

#include "base/error.hpp"
#include "base/ranks/collective_errors.hpp"
#include "solver/task/state_selection.hpp"

namespace cisolve::solver {
namespace {

// All members by name: a new member does not compile until it is hashed as well.
void take_options(const Options& options, Fingerprint& print) {
  const auto& [method, states, follow, near, tolerance, scale, max_iterations, seed, preconditioner,
               correction, start, model_size, block_width, guards, max_subspace, per_state,
               basis_storage, search, dense_limit, fills_above] = options;
  print.take(follow == nullptr ? -1 : follow->vectors.columns(), near.has_value(),
             near.value_or(0));
  print.take(method, states, tolerance, scale, max_iterations, seed, preconditioner, correction,
             start, model_size, block_width, guards, max_subspace, per_state,
             basis_storage.has_value(), basis_storage.value_or(BasisStorage::full), search,
             dense_limit, fills_above);
}

}  // namespace

void require_same(const Problem& problem, const Fingerprint& print, std::string_view what) {
  const bool is_same = problem.communicator.all_same(print.value());
  base::run_collectively(problem.communicator, [&] {
    if (!is_same)
      base::fail(base::ErrorKind::usage, "the ranks have different ", what,
                 "; expected the same on all ranks");
  });
}

void require_same_inputs(const Problem& problem, const Options& options, const Checkpoint* start) {
  Fingerprint print;
  take_options(options, print);
  print.take_all(problem.model_rows);
  print.take(start == nullptr ? -1 : start->basis.columns());
  if (start != nullptr) print.take(start->iterations, start->products);
  require_same(problem, print, "options, model space and start");
}

}  // namespace cisolve::solver
