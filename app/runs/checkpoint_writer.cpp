#include "app/runs/checkpoint_writer.hpp"

#include <spdlog/spdlog.h>

#include "app/runs/interruption.hpp"
#include "base/error.hpp"
#include "base/ranks/whole_vectors.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::app {

bool CheckpointWriter::report(const solver::Progress& progress) {
  Interruption::accept();
  if (Interruption::requested()) {
    save(progress.state);
    stopped_ = true;
    return false;
  }
  if (!progress.last && since_last_.seconds() < interval_) return true;
  try {
    save(progress.state);
  } catch (const base::Error& error) {
    const bool harmless =
        error.fault() == base::Fault::cannot_write || error.fault() == base::Fault::resources;
    if (!harmless) throw;
    if (warned_ != error.what())
      spdlog::warn("no checkpoint in iteration {}: {}", progress.iteration, error.what());
    warned_ = error.what();
  }
  since_last_ = base::Stopwatch();
  return true;
}

void CheckpointWriter::save(solver::CheckpointSource& state) {
  solver::Checkpoint now = state.checkpoint();
  const base::Index rows = now.layout.rows();
  folder_.save({.input = input_,
                .iterations = now.iterations,
                .products = now.products,
                .energies = std::move(now.energies),
                .basis = base::whole_vectors(solver::kOneProcess, now.layout, std::move(now.basis)),
                .layout = base::Layout::whole(rows)});
}

solver::Checkpoint start_from(io::StoredCheckpoint stored) {
  return {.basis = std::move(stored.basis),
          .layout = std::move(stored.layout),
          .energies = std::move(stored.energies),
          .iterations = static_cast<int>(stored.iterations),
          .products = stored.products};
}

}  // namespace cisolve::app
