#include "io/files/unfinished.hpp"

#include <unistd.h>

#include <array>
#include <atomic>

namespace cisolve::io {
namespace {

enum class SlotState { open, filling, named };

struct Slot {
  std::atomic<SlotState> state{SlotState::open};
  std::array<char, 4096> name{};
};

// Exceeds the number of files written at once.
std::array<Slot, 8> slots;

static_assert(std::atomic<SlotState>::is_always_lock_free, "else no handler may ask for it");

}  // namespace

UnfinishedName::UnfinishedName(const std::filesystem::path& path) {
  const std::string& name = path.native();
  if (name.size() >= slots[0].name.size()) return;
  for (std::size_t i = 0; i < slots.size() && slot_ < 0; ++i) {
    SlotState expected = SlotState::open;
    if (!slots[i].state.compare_exchange_strong(expected, SlotState::filling)) continue;
    slot_ = static_cast<int>(i);
    slots[i].name[name.copy(slots[i].name.data(), name.size())] = '\0';
    slots[i].state = SlotState::named;
  }
}

UnfinishedName::~UnfinishedName() {
  if (slot_ >= 0) slots[slot_].state = SlotState::open;
}

void remove_unfinished() noexcept {
  for (const Slot& slot : slots)
    if (slot.state == SlotState::named) ::unlink(slot.name.data());
}

}  // namespace cisolve::io
