#include "base/cuda/context.hpp"

namespace cisolve::base::cuda {

struct StreamWatch::Laps {
  explicit Laps(const Context& of) : context(of) {}

  const Context& context;
  Event first;
  Event last;
  bool has_lap = false;  // not yet added to `seconds`
  double seconds = 0;
};

// Events belong to the device that is current at creation.
StreamWatch::StreamWatch(const Context& context)
    : laps_((context.make_current(), std::make_unique<Laps>(context))) {}
StreamWatch::StreamWatch(StreamWatch&& other) noexcept = default;
StreamWatch& StreamWatch::operator=(StreamWatch&& other) noexcept = default;
StreamWatch::~StreamWatch() = default;

void StreamWatch::begin() {
  seconds();
  laps_->context.make_current();
  laps_->first.record(laps_->context.stream_object());
}

void StreamWatch::end() {
  laps_->last.record(laps_->context.stream_object());
  laps_->has_lap = true;
}

double StreamWatch::seconds() {
  constexpr double kMillisecond = 1e-3;
  if (laps_->has_lap) laps_->seconds += kMillisecond * laps_->last.milliseconds_since(laps_->first);
  laps_->has_lap = false;
  return laps_->seconds;
}

}  // namespace cisolve::base::cuda
