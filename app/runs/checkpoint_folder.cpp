#include "app/runs/checkpoint_folder.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "app/runs/folder.hpp"
#include "base/error.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;

// None, with a warning, where it is damaged.
std::optional<io::StoredCheckpoint> read_slot(const fs::path& path, const base::Backend& host) {
  try {
    return io::read_checkpoint(path, host);
  } catch (const base::Error& error) {
    if (error.fault() != base::Fault::bad_input) throw;
    spdlog::warn("{}; this checkpoint is passed over", error.what());
    return std::nullopt;
  }
}

}  // namespace

CheckpointFolder::CheckpointFolder(fs::path directory) : directory_(std::move(directory)) {}

fs::path CheckpointFolder::slot(int number) const {
  return directory_ / (number == 0 ? "checkpoint-a.h5" : "checkpoint-b.h5");
}

bool CheckpointFolder::holds_any() const {
  std::error_code ignored;
  return fs::exists(slot(0), ignored) || fs::exists(slot(1), ignored);
}

std::optional<io::StoredCheckpoint> CheckpointFolder::newest(const base::Backend& host) {
  std::optional<io::StoredCheckpoint> best;
  std::error_code ignored;
  for (int number = 0; number < kSlots; ++number) {
    if (!fs::exists(slot(number), ignored)) continue;
    auto found = read_slot(slot(number), host);
    if (!found || (best && found->sequence < best->sequence)) continue;
    best.emplace(std::move(*found));
    sequence_ = best->sequence;
    next_ = 1 - number;
  }
  return best;
}

void CheckpointFolder::save(io::StoredCheckpoint checkpoint) {
  checkpoint.sequence = sequence_ + 1;
  io::write_checkpoint(slot(next_), checkpoint);
  sequence_ = checkpoint.sequence;
  next_ = 1 - next_;
}

void CheckpointFolder::clear() {
  std::error_code ignored;
  for (int number = 0; number < kSlots; ++number) fs::remove(slot(number), ignored);
  remove_partial_files();
}

void CheckpointFolder::remove_partial_files() const {
  app::remove_partial_files(directory_, ".checkpoint-");
}

}  // namespace cisolve::app
