#include "base/cuda/context.hpp"

namespace cisolve::base::cuda {

struct StreamTimer::Laps {
  explicit Laps(const Context& of) : context(of) {}

  const Context& context;
  Event first;
  Event last;
  bool has_lap = false;  // whether a lap is not yet added to `seconds`
  double seconds = 0;
};

// Events belong to the device that is current at creation.
StreamTimer::StreamTimer(const Context& context)
    : laps_((context.make_current(), std::make_unique<Laps>(context))) {}
StreamTimer::StreamTimer(StreamTimer&& other) noexcept = default;
StreamTimer& StreamTimer::operator=(StreamTimer&& other) noexcept = default;
StreamTimer::~StreamTimer() = default;

void StreamTimer::begin() {
  seconds();
  laps_->context.make_current();
  laps_->first.record(laps_->context.stream_object());
}

void StreamTimer::end() {
  laps_->last.record(laps_->context.stream_object());
  laps_->has_lap = true;
}

double StreamTimer::seconds() {
  constexpr double kMillisecond = 1e-3;
  if (laps_->has_lap) laps_->seconds += kMillisecond * laps_->last.milliseconds_since(laps_->first);
  laps_->has_lap = false;
  return laps_->seconds;
}

}  // namespace cisolve::base::cuda
