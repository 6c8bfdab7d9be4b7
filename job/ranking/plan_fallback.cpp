#include "job/ranking/plan_fallback.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "job/ranking/rank_plans.hpp"

namespace cisolve::job {
namespace {

// Less by enough to expect another outcome; free memory always varies a little.
bool is_clearly_less(Index bytes, Index than) { return bytes < than / 10 * 9; }

}  // namespace

std::optional<Fallback> PlanFallback::passed_over() const {
  const auto end = plans_.begin() + static_cast<std::ptrdiff_t>(place_);
  const auto first = std::find_if(plans_.begin(), end, [this](const Plan& before) {
    return before.may_be_sooner_in_more_memory(plan());
  });
  if (first == end) return std::nullopt;
  return Fallback{
      first->text(), plan().text(),
      base::concat("the matrix takes at least ", base::human_bytes(first->demand.matrix),
                   " and the vectors ", base::human_bytes(first->demand.vectors), ", but ",
                   base::human_bytes(first->limit), " are available")};
}

bool PlanFallback::repeat_within(Index budget) {
  const Index before = plans_[place_].limit;
  plans_[place_].limit = budget;
  return is_clearly_less(budget, before);
}

/// The number of plans if there is none.
std::size_t PlanFallback::next_fitting() const {
  const auto next = plans_.begin() + static_cast<std::ptrdiff_t>(place_ + 1);
  return std::find_if(next, plans_.end(), [](const Plan& plan) { return plan.fits(); }) -
         plans_.begin();
}

bool PlanFallback::take_next(Index free_bytes) {
  if (!plan().on_device) {
    const std::size_t fitting = next_fitting();
    if (fitting < plans_.size()) place_ = fitting;
    return fitting < plans_.size();
  }
  const Index really = std::max<Index>(1, base::default_device_limit(free_bytes));
  const Index budget = std::min(plan().limit, really);
  const std::size_t next = place_ + 1;
  for (std::size_t i = next; i < plans_.size(); ++i)
    if (plans_[i].on_device) plans_[i].limit = budget;
  const auto may_do = [](const Plan& plan) { return plan.on_device && plan.fits(); };
  const bool more_on_device =
      std::any_of(plans_.begin() + static_cast<std::ptrdiff_t>(next), plans_.end(), may_do);
  if (!more_on_device && repeat_within(budget) && plan().fits()) return true;
  const std::size_t fitting = next_fitting();
  if (fitting < plans_.size()) place_ = fitting;
  return fitting < plans_.size();
}

bool PlanFallback::take_next_coded() {
  const auto has_codes = [this](const Plan& other) {
    return other.storage.values == sparse::ValueEncoding::coded &&
           other.on_device == plan().on_device && other.storage.format != plan().storage.format &&
           other.fits();
  };
  const auto next = std::find_if(plans_.begin() + static_cast<std::ptrdiff_t>(place_ + 1),
                                 plans_.end(), has_codes);
  if (next == plans_.end()) return false;
  place_ = static_cast<std::size_t>(next - plans_.begin());
  return true;
}

}  // namespace cisolve::job
