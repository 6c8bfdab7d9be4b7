#include "app/report/progress_bar.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "base/number.hpp"
#include "base/stopwatch.hpp"
#include "base/text.hpp"

namespace cisolve::app {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr double kSoon = 0.5;  // seconds in which work may end unseen
constexpr std::string_view kErase = "\r\x1b[K";

std::size_t terminal_width() {
  constexpr std::size_t usual = 80;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : usual;
}

void write_whole(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;  // standard error cannot be written
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string time_left(double seconds) {
  constexpr double minute = 60;
  constexpr double hour = 60 * minute;
  if (seconds < 2 * minute) return base::fixed(seconds, 0) + " s left";
  if (seconds < 2 * hour) return base::fixed(seconds / minute, 0) + " min left";
  return base::fixed(seconds / hour, 1) + " h left";
}

}  // namespace

bool has_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

std::string progress_line(const std::string& what, Index pass, double fraction, double seconds_left,
                          std::size_t width) {
  constexpr std::size_t widest = 40;
  constexpr std::size_t narrowest = 4;
  const std::string head = pass > 1 ? base::concat(what, ", pass ", pass, "  ") : what + "  ";
  const std::string tail = base::fixed(100 * fraction, 0) + " %, " + time_left(seconds_left);
  const std::size_t texts = head.size() + tail.size() + std::string_view("[]  ").size();
  std::string line = head;
  if (texts + narrowest <= width) {
    const std::size_t bar_width = std::min(width - texts, widest);
    const auto full = static_cast<std::size_t>(fraction * static_cast<double>(bar_width));
    line += "[" + std::string(full, '#') + std::string(bar_width - full, '-') + "]  ";
  }
  line += tail;
  return line.substr(0, width);
}

ProgressBar::ProgressBar(std::string what, Index rows, bool wanted)
    : what_(std::move(what)), rows_(rows) {
  if (wanted && rows > 0) painter_ = std::thread([this] { draw_until_stopped(); });
}

ProgressBar::~ProgressBar() {
  if (!painter_.joinable()) return;
  {
    const std::lock_guard lock(guard_);
    stopped_ = true;
  }
  changed_.notify_one();
  painter_.join();
}

job::Watch ProgressBar::watch() {
  if (!painter_.joinable()) return {};
  return [this](Index rows) { done_.fetch_add(rows, std::memory_order_relaxed); };
}

void ProgressBar::draw_until_stopped() {
  const base::Stopwatch all;
  base::Stopwatch since_pass;
  Index pass = 1;
  bool drawn = false;
  std::unique_lock lock(guard_);
  while (!changed_.wait_for(lock, kInterval, [this] { return stopped_; })) {
    const Index done = done_.load(std::memory_order_relaxed);
    if (const Index now = 1 + done / rows_; now != pass) {
      pass = now;
      since_pass = base::Stopwatch();
    }
    const double fraction = static_cast<double>(done % rows_) / static_cast<double>(rows_);
    if (all.seconds() < kSoon || fraction == 0) continue;
    draw(pass, fraction, since_pass.seconds() * (1 - fraction) / fraction);
    drawn = true;
  }
  if (drawn) write_whole(kErase);
}

void ProgressBar::draw(Index pass, double fraction, double seconds_left) const {
  const std::size_t width = terminal_width() - 1;  // a full line would make some terminals wrap
  write_whole(base::concat(kErase, progress_line(what_, pass, fraction, seconds_left, width)));
}

}  // namespace cisolve::app
