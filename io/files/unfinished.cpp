#include "io/files/unfinished.hpp"

#include <unistd.h>

#include <array>
#include <atomic>

namespace cisolve::io {
namespace {

enum class SlotState { free, filling, named };

struct Slot {
  std::atomic<SlotState> state{SlotState::free};
  std::array<char, 4096> name{};
};

// Exceeds the number of files written at once.
std::array<Slot, 8> slots;

static_assert(std::atomic<SlotState>::is_always_lock_free,
              "signal handlers may use lock-free atomics only");

}  // namespace

UnfinishedName::UnfinishedName(const std::filesystem::path& path) {
  const std::string& name = path.native();
  if (name.size() >= slots[0].name.size()) return;
  for (std::size_t i = 0; i < slots.size() && slot_ < 0; ++i) {
    SlotState expected = SlotState::free;
    if (!slots[i].state.compare_exchange_strong(expected, SlotState::filling)) continue;
    slot_ = static_cast<int>(i);
    slots[i].name[name.copy(slots[i].name.data(), name.size())] = '\0';
    slots[i].state = SlotState::named;
  }
}

UnfinishedName::~UnfinishedName() {
  if (slot_ >= 0) slots[slot_].state = SlotState::free;
}

void remove_unfinished() noexcept {
  for (const Slot& slot : slots)
    if (slot.state == SlotState::named) ::unlink(slot.name.data());
}

}  // namespace cisolve::io
