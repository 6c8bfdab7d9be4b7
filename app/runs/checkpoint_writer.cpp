#include "app/runs/checkpoint_writer.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "app/runs/interruption.hpp"
#include "base/error.hpp"
#include "base/ranks/collective_errors.hpp"
#include "base/text.hpp"

namespace cisolve::app {

// Rank 0, which writes, decides when.
CheckpointWriter::Action CheckpointWriter::action_for(const solver::Progress& progress) {
  if (Interruption::requested()) return Action::to_stop;
  if (progress.last) return Action::to_save;
  if (progress.state.ranks().rank() > 0) return Action::nothing;
  const bool each = interval_ == 0;
  if (async_.is_busy() && !each) return Action::nothing;
  wait_for_write();
  return unexpected_ || since_last_.seconds() >= interval_ ? Action::to_save : Action::nothing;
}

bool CheckpointWriter::report(const solver::Progress& progress) {
  Interruption::accept();
  // All ranks follow the strongest request.
  const double action = progress.state.ranks().maximum(static_cast<double>(action_for(progress)));
  if (action == static_cast<double>(Action::to_stop)) {
    save(progress.state, false);
    stopped_ = true;
    return false;
  }
  if (action == static_cast<double>(Action::nothing)) return true;
  try {
    save(progress.state, !progress.last);
    if (!async_.is_under_way()) warned_ = false;
  } catch (const base::Error& error) {
    take(error, progress.iteration);
    if (unexpected_) std::rethrow_exception(std::exchange(unexpected_, nullptr));
  }
  since_last_ = base::Stopwatch();
  return true;
}

void CheckpointWriter::take(const base::Error& error, base::Index iteration) {
  const bool harmless =
      error.kind() == base::ErrorKind::cannot_write || error.kind() == base::ErrorKind::resources;
  if (!harmless) unexpected_ = std::current_exception();
  if (!warned_) spdlog::warn("no checkpoint in iteration {}: {}", iteration, error.what());
  warned_ = true;
}

void CheckpointWriter::wait_for_write() {
  if (!async_.is_under_way()) return;
  try {
    async_.finish();
    warned_ = false;
  } catch (const base::Error& error) {
    take(error, async_.iterations());
  } catch (const std::exception& error) {
    unexpected_ = std::current_exception();
    spdlog::warn("no checkpoint in iteration {}: {}", async_.iterations(), error.what());
  }
}

// Rank 0 writes what all ranks send; the others send even if rank 0 fails before.
void CheckpointWriter::save(solver::CheckpointSource& state, bool concurrently) {
  const solver::Snapshot now = state.snapshot();
  bool were_sent = false;
  const auto stream = [&](const auto& take) {
    were_sent = true;
    now.gather_to_root(take);
  };
  std::exception_ptr failure;
  try {
    if (state.ranks().rank() == 0)
      write(now,
            {.input = input_,
             .iterations = now.iterations(),
             .products = now.products(),
             .energies = now.energies(),
             .rows = now.rows(),
             .columns = now.columns(),
             .stream_vectors = stream},
            concurrently);
  } catch (...) {
    failure = std::current_exception();
  }
  try {
    if (state.ranks().size() > 1 && !were_sent) now.gather_to_root([](auto) {});
  } catch (...) {
    if (!failure) failure = std::current_exception();  // reported to all ranks below
  }
  base::run_collectively(state.ranks(), [&] {
    if (failure) std::rethrow_exception(failure);
  });
}

namespace {

/// Whether saving states takes no more than a tenth of the time to find them, on a slow disk.
bool is_worth_keeping(const solver::Result& states, base::Index bytes) {
  constexpr double kTimes = 10;
  constexpr double kSeconds = 0.005;
  constexpr double kBytesPerSecond = 1e9;
  return states.seconds >= kTimes * (kSeconds + static_cast<double>(bytes) / kBytesPerSecond);
}

/// Streams the columns in order, from host or device memory.
template <class Take>
void stream_columns(const base::MultiVector& vectors, const Take& take) {
  constexpr base::Index kAtOnce = base::Index{1} << 20;
  const base::Backend host = vectors.backend().host();
  const base::ConstBlock all = vectors.block();
  std::vector<double> piece;
  for (int j = 0; j < all.columns; ++j)
    for (base::Index row = 0; row < all.rows; row += kAtOnce) {
      const auto count = static_cast<std::size_t>(std::min(kAtOnce, all.rows - row));
      const double* from = all.column(j) + row;
      if (!vectors.backend().is_host()) {
        piece.resize(count);
        base::copy_bytes(vectors.backend(), from, host, piece.data(),
                         static_cast<base::Index>(count * sizeof(double)));
        from = piece.data();
      }
      take(std::span(from, count));
    }
}

}  // namespace

void CheckpointWriter::keep(const solver::Result& states) {
  io::CheckpointToWrite checkpoint{
      .input = input_,
      .iterations = states.iterations,
      .products = states.products,
      .rows = states.vectors.rows(),
      .columns = states.vectors.columns(),
      .stream_vectors = [&](const auto& take) { stream_columns(states.vectors, take); }};
  for (const solver::State& state : states.states) checkpoint.energies.push_back(state.energy);
  if (interval_ > 0 && !is_worth_keeping(states, checkpoint.bytes())) return;
  report_size(checkpoint);
  try {
    folder_.save(std::move(checkpoint));
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::cannot_write && error.kind() != base::ErrorKind::resources)
      throw;
    spdlog::warn("the converged states could not be saved before their verification: {}",
                 error.what());
  }
}

/// Reports large checkpoints once.
void CheckpointWriter::report_size(const io::CheckpointToWrite& checkpoint) {
  constexpr base::Index kMuch = base::Index{64} << 20;
  if (checkpoint.bytes() < kMuch || std::exchange(size_reported_, true)) return;
  spdlog::info(
      "a checkpoint takes {} on disk, and two are kept; output.checkpoint sets how often it is "
      "written, or off",
      base::human_bytes(checkpoint.bytes()));
}

void CheckpointWriter::write(const solver::Snapshot& now, io::CheckpointToWrite checkpoint,
                             bool concurrently) {
  wait_for_write();
  if (unexpected_) std::rethrow_exception(std::exchange(unexpected_, nullptr));
  report_size(checkpoint);
  const base::Backend host = now.host();
  if (concurrently && (async_for_any_ || now.leaves_host()) &&
      AsyncCheckpoint::fits_in_memory(checkpoint, host)) {
    const base::Stopwatch still;
    base::MultiVector vectors =
        now.is_whole() ? now.checkpoint().basis : AsyncCheckpoint::gathered(checkpoint, host);
    spdlog::debug("a checkpoint was copied in {:.2f} s", still.seconds());
    async_.begin(std::move(checkpoint), std::move(vectors));
  } else {
    folder_.save(std::move(checkpoint));
  }
}

solver::Checkpoint start_from(io::StoredCheckpoint stored) {
  return {.basis = std::move(stored.basis),
          .layout = std::move(stored.layout),
          .energies = std::move(stored.energies),
          .iterations = static_cast<int>(stored.iterations),
          .products = stored.products};
}

}  // namespace cisolve::app
