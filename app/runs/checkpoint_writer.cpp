#include "app/runs/checkpoint_writer.hpp"

#include <spdlog/spdlog.h>

#include <exception>

#include "app/runs/interruption.hpp"
#include "base/error.hpp"
#include "base/ranks/agreement.hpp"

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
    warned_ = false;
  } catch (const base::Error& error) {
    const bool harmless =
        error.fault() == base::Fault::cannot_write || error.fault() == base::Fault::resources;
    if (!harmless) throw;
    if (!warned_)
      spdlog::warn("no checkpoint in iteration {}: {}", progress.iteration, error.what());
    warned_ = true;
  }
  since_last_ = base::Stopwatch();
  return true;
}

// The first of the ranks writes what all of them tell it; they do so too where it fails before.
void CheckpointWriter::save(solver::CheckpointSource& state) {
  const solver::Snapshot now = state.snapshot();
  bool were_told = false;
  const auto tell = [&](const auto& take) {
    were_told = true;
    now.tell_first(take);
  };
  std::exception_ptr failure;
  try {
    if (state.ranks().rank() == 0)
      folder_.save({.input = input_,
                    .iterations = now.iterations(),
                    .products = now.products(),
                    .energies = now.energies(),
                    .rows = now.rows(),
                    .columns = now.columns(),
                    .tell_vectors = tell});
  } catch (...) {
    failure = std::current_exception();
  }
  if (state.ranks().size() > 1 && !were_told) now.tell_first([](auto) {});
  base::agree(state.ranks(), [&] {
    if (failure) std::rethrow_exception(failure);
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
