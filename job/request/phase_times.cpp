#include "job/request/phase_times.hpp"

#include <algorithm>

namespace cisolve::job {
namespace {

constexpr const char* kUsual[] = {"open_s",   "wait_for_backend_s", "build_s", "solve_s",
                                  "verify_s", "analysis_s",         "write_s"};
constexpr const char* kProduct = "product_s";

}  // namespace

PhaseTimes::PhaseTimes() {
  for (const char* phase : kUsual) phases_.emplace_back(phase, 0.0);
  came_.assign(phases_.size(), false);
}

void PhaseTimes::end(std::string_view phase) {
  const std::chrono::duration<double> since_start = std::chrono::steady_clock::now() - start_;
  const double now = since_start.count();
  auto found = std::ranges::find(phases_, phase, &Entry::first);
  if (found == phases_.end()) {
    found = phases_.emplace(phases_.end(), phase, 0.0);
    came_.push_back(false);
  }
  found->second += now - ended_;
  came_[found - phases_.begin()] = true;
  ended_ = now;
}

double PhaseTimes::of(std::string_view phase) const {
  const auto found = std::ranges::find(phases_, phase, &Entry::first);
  return found == phases_.end() ? 0 : found->second;
}

std::vector<PhaseTimes::Entry> PhaseTimes::so_far() const {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < phases_.size(); ++i)
    if (came_[i]) entries.push_back(phases_[i]);
  entries.emplace_back(kProduct, product_);
  return entries;
}

std::vector<PhaseTimes::Entry> PhaseTimes::all() const {
  std::vector<Entry> entries = phases_;
  entries.emplace_back(kProduct, product_);
  entries.emplace_back("total_s", ended_);
  return entries;
}

}  // namespace cisolve::job
