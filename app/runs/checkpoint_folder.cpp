#include "app/runs/checkpoint_folder.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "app/runs/folder.hpp"
#include "base/error.hpp"
#include "io/files/destination.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;

// Returns read(), or nothing, with a warning, if the file is damaged.
template <class Read>
auto unless_damaged(Read read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::bad_input) throw;
    spdlog::warn("{}; this checkpoint is ignored", error.what());
    return std::nullopt;
  }
}

// Refuses anything but a regular file: the slot would be overwritten later, and reading a pipe
// would block.
void require_plain_file(const fs::path& slot) {
  if (const auto kind = io::foreign_kind(slot))
    base::fail(base::ErrorKind::bad_input, slot.native(), ": is ", *kind,
               "; expected a checkpoint, which is a regular file; remove it");
}

struct Slot {
  base::Index sequence;
  int number;
};

}  // namespace

CheckpointFolder::CheckpointFolder(fs::path directory) : directory_(std::move(directory)) {}

fs::path CheckpointFolder::slot(int number) const { return directory_ / kCheckpoints[number]; }

bool CheckpointFolder::has_any() const { return is_taken(slot(0)) || is_taken(slot(1)); }

// Reads one slot at a time: two would take twice the memory for which the job has planned.
std::optional<io::StoredCheckpoint> CheckpointFolder::newest(const base::Backend& host) {
  std::vector<Slot> slots;
  for (int number = 0; number < kSlots; ++number) {
    if (!is_taken(slot(number))) continue;
    require_plain_file(slot(number));
    const auto sequence =
        unless_damaged([&] { return io::read_checkpoint_sequence(slot(number)); });
    if (sequence) slots.push_back({*sequence, number});
  }
  std::ranges::stable_sort(slots, std::ranges::greater{}, &Slot::sequence);
  for (const auto& [sequence, number] : slots) {
    auto found = unless_damaged([&] { return io::read_checkpoint(slot(number), host); });
    if (!found) continue;
    sequence_ = found->sequence;
    next_ = 1 - number;
    return found;
  }
  return std::nullopt;
}

void CheckpointFolder::save(io::CheckpointToWrite checkpoint) {
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
