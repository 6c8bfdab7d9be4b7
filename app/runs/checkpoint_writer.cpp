#include "app/runs/checkpoint_writer.hpp"

#include <spdlog/spdlog.h>

#include "app/runs/interruption.hpp"
#include "base/error.hpp"
#include "base/ranks/agreement.hpp"
#include "base/ranks/whole_vectors.hpp"

namespace cisolve::app {
namespace {

enum class Wish { nothing, to_save, to_stop };

}  // namespace

bool CheckpointWriter::report(const solver::Progress& progress) {
  Interruption::accept();
  const Wish mine = Interruption::requested()                             ? Wish::to_stop
                    : progress.last || since_last_.seconds() >= interval_ ? Wish::to_save
                                                                          : Wish::nothing;
  // What any rank wishes all do.
  const double wish = progress.state.ranks().maximum(static_cast<double>(mine));
  if (wish == static_cast<double>(Wish::to_stop)) {
    save(progress.state);
    stopped_ = true;
    return false;
  }
  if (wish == static_cast<double>(Wish::nothing)) return true;
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

// The first of the ranks writes whole vectors.
void CheckpointWriter::save(solver::CheckpointSource& state) {
  const base::Communicator& ranks = state.ranks();
  std::optional<solver::Checkpoint> taken;
  base::agree(ranks, [&] { taken.emplace(state.checkpoint()); });
  solver::Checkpoint& now = *taken;
  const base::Index rows = now.layout.rows();
  base::MultiVector whole = base::whole_vectors(ranks, now.layout, std::move(now.basis));
  base::agree(ranks, [&] {
    if (ranks.rank() > 0) return;
    folder_.save({.input = input_,
                  .iterations = now.iterations,
                  .products = now.products,
                  .energies = std::move(now.energies),
                  .basis = std::move(whole),
                  .layout = base::Layout::whole(rows)});
  });
}

solver::Checkpoint start_from(io::StoredCheckpoint stored) {
  return {.basis = std::move(stored.basis),
          .layout = std::move(stored.layout),
          .energies = std::move(stored.energies),
          .iterations = static_cast<int>(stored.iterations),
          .products = stored.products};
}

}  // namespace cisolve::app
